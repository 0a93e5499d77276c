package a.b
import groovy.json.*

// A service.
class Service extends Base {
    int x = 1
    def run(String a) { println a }
    static int add(int a, int b) { return a + b }
}
def helper(x) { return x }
