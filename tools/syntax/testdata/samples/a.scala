package a.b

/** A service. */
class Service(x: Int) extends Base with Runnable {
  val y = 1
  def run(): Unit = { println(x) }
}
object Service { def apply() = new Service(1) }
trait Shape { def area: Double }
case class Point(x: Int)
object Main extends App {
  type Name = String
  def add(a: Int, b: Int): Int = a + b
}
