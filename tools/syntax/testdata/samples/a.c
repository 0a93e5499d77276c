struct p { int x; };
int add(int a, int b) { return a + b; }
