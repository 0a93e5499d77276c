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

(() => {
  "use strict";
  var bundled = { 7: (module) => { module.exports = 1; }, "./a.js": (function (module) {}) };
  function boot() {}
})();
angular.module("app").controller("Main", ["$scope", function ($scope) {
  function help() {}
  $scope.save = function () {};
}]);
(self["chunk"] = self["chunk"] || []).push([["main"], {
  "./b.js": ((module) => { function inner() {} }),
}, (run) => { function last() {} }]);
for (const name of names) { function inLoop() {} const unlisted = 1; }
switch (names) { case 1: { class InCase {} } }
names["b c"] = function () {};
names ||= function () {};
export default function () {}
