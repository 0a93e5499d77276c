package a.b

/** A point. */
data class Point(val x: Int, val y: Int) {
    val sum: Int get() = x + y
    fun move(dx: Int): Point = Point(x + dx, y)
    companion object {
        fun origin() = Point(0, 0)
    }
}
interface Shape { fun area(): Double }
enum class Color { RED, GREEN }
object Single { fun go() {} }
fun String.shout(): String = this.uppercase()
fun main(args: Array<String>) { println("x") }
typealias Name = String
