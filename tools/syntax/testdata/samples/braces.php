<?php
namespace A\B { class C {} function d() {} }
namespace {
    function e() {}
    class F { function g() {} }
}
