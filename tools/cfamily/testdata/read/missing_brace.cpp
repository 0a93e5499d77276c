class A {
  void m() {
    if (x) {
  }
  void n() {}
};
int g() { return 1; }
