namespace n { class A { void m() {} }; }
