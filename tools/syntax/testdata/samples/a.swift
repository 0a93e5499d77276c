import Foundation

/// A point.
public struct Point: Equatable {
    var x: Int
    init(x: Int) { self.x = x }
    func moved(by d: Int) -> Point { return Point(x: x + d) }
    static func == (a: Point, b: Point) -> Bool { return true }
}
class View: Base {
    deinit { }
    override func draw() {}
    enum Kind { case a, b }
}
protocol Shape { func area() -> Double }
extension Point { func double() -> Int { return x * 2 } }
func main() {}
typealias Name = String
actor Counter { func up() {} }
