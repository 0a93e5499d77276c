// Adds.
function add(a, b) { return a + b; }
class A extends B {
  #x = 1;
  constructor() { super(); }
  static of() {}
  get v() { return 1; }
  *items() {}
}
const mul = (a, b) => a * b;
var f = function named() {};
async function* gen() {}
exports.helper = function () {};
module.exports = { one() {}, two: () => 2 };
export default class {}
module.exports = function own(a) {
  return a;
};
