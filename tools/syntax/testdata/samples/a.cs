using System;
namespace A.B
{
    /// <summary>A service.</summary>
    [Serializable]
    public class Service<T> : Base, IRun where T : class
    {
        private int x;
        public const int Max = 3;
        public Service(int x) { this.x = x; }
        ~Service() { }
        public int Value { get; set; }
        public int this[int i] { get { return i; } }
        [Obsolete]
        public async Task Run(int a) { }
        public static Service<T> operator +(Service<T> a, Service<T> b) => a;
        public event EventHandler Done;
        enum Color { Red }
    }
    interface IRun { void Go(); }
    struct P { public int X; }
    public record Person(string Name);
    public delegate void Handler(int x);
}
