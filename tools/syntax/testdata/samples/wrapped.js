(function (root, factory) {
  if (typeof define === 'function') { define([], factory); } else { root.X = factory(); }
}(this, function () {
  'use strict';
  var hidden = 1;
  function Foo() { function inner() {} }
  Foo.prototype.bar = function () {};
  Foo.prototype.deep = { a: { b() {} }, c: 1 };
  var baz = function () {};
  return Foo;
}));
;(function () { function immediate() {} class K { m() {} } }).call(this);
!function () { function bang() {} }();
(async () => { const arrow = () => 1; })();
define(['a'], function (a) { function amd() {} });
const Late = class { m() {} };
var Module = (function () { function make() {} return { make }; })();
export default { methods: { load() {} }, size: 3 };
