//! crate doc
use std::fmt;

/// A point.
#[derive(Debug)]
pub struct Point<T> { x: T, y: T }

pub enum Shape { Circle(f64), Square { side: f64 } }
union U { a: u32 }
pub trait Draw {
    fn draw(&self);
    fn twice(&self) { self.draw() }
}
impl<T> Point<T> {
    /// Makes one.
    #[inline]
    pub fn new(x: T, y: T) -> Self { Point { x, y } }
}
impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result { Ok(()) }
}
mod inner {
    pub const LIMIT: usize = 3;
    pub static NAME: &str = "x";
    pub async fn go() {}
}
type Alias = Point<f64>;
macro_rules! square { ($x:expr) => { $x * $x }; }
fn main() { fn local() {} }
