package a.b;

import java.util.*;

/** A service. */
@Component
public class Service<T> extends Base implements Runnable {
    private int x = 1;
    final int lo, hi = 2;
    public Service(int x) { this.x = x; }
    /** Runs. */
    @Override
    public void run() { }
    static int add(int a, int b) { return a + b; }
    int add(int a) { return a; }
    enum Color { RED, GREEN; Color next() { return RED; } }
    interface Inner { void go(); }
}
record Point(int x, int y) { Point { } }
@interface Marker { String value() default ""; }
