defmodule App.Server do
  @moduledoc "A server."
  use GenServer

  @doc "Starts."
  def start(opts \\ []) do
    :ok
  end

  def add(a, b) when is_integer(a), do: a + b
  defp hidden(x), do: x
  defmacro mac(x) do
    x
  end
  defmodule Inner do
    def go, do: 1
  end
end
defprotocol Size do
  def size(data)
end
defimpl Size, for: Map do
  def size(m), do: map_size(m)
end
