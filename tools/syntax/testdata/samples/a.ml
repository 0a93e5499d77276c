(** A point. *)
type point = { x : int; y : int }

exception Bad of string

module M = struct
  let inner x = x + 1
end

module type S = sig
  val go : int -> int
end

(** Adds. *)
let add a b = a + b
let rec even n = n = 0 || odd (n - 1)
and odd n = n <> 0 && even (n - 1)
let pi = 3.14
class counter = object
  val mutable n = 0
  method up = n <- n + 1
end
external ext : int -> int = "c_ext"
