# A module.
module Outer
  # A class.
  class Inner < Base
    LIMIT = 3
    attr_reader :x
    def initialize(x)
      @x = x
    end
    def self.make; new(1); end
    def ==(other) = true
    class << self
      def hidden; end
    end
  end
  class Outer::Deep; end
end
def top(a, b = 1)
end
Pair = Struct.new(:left, :right) do
  # Adds up.
  def sum = left + right
end
