<?php
namespace App\Models;

/** A user. */
#[Entity]
abstract class User extends Base implements Shown {
    const MAX = 3;
    private int $x = 1;
    public function __construct(private string $name) {}
    /** Shows. */
    public static function show(int $a): string { return ''; }
    abstract function go();
}
interface Shown { public function show(int $a): string; }
trait Named { public function name() { return 1; } }
enum Suit: string { case Hearts = 'H'; public function color(): string { return ''; } }
function helper($x) { return $x; }
