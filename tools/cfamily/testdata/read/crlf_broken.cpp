namespace n {
class A {
  void m() {
  }
};
}
int f(