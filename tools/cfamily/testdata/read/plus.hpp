#pragma once
#define API __declspec(dllexport)
#define NS_BEGIN namespace lib {
#define NS_END }

NS_BEGIN
namespace a::b {
inline namespace v1 {

/// A shape.
class API Shape final : public Base<int>, private virtual Other {
 public:
  Shape() : x_(1), y_{2} {}
  explicit Shape(int x);
  virtual ~Shape() = default;
  Shape(const Shape&) = delete;
  virtual double area() const = 0;
  bool operator==(const Shape& o) const noexcept { return x_ == o.x_; }
  auto operator<=>(const Shape&) const = default;
  void operator()(int) const {}
  int& operator[](int i) { return x_; }
  explicit operator bool() const { return true; }
  operator std::vector<int>() const;
  void* operator new(size_t n);
  template <typename T, typename = std::enable_if_t<(sizeof(T) > 1)>>
  [[nodiscard]] T get(T t) const& noexcept(noexcept(t)) requires std::integral<T> { return t; }
  friend std::ostream& operator<<(std::ostream& os, const Shape& s) { return os; }
  friend class Other;
  static constexpr int kMax = 3;
  enum class Color : unsigned char { Red, Green };
  struct Inner { void deep() {} int x = {3}; };
  auto trailing() -> decltype(x_) { return x_; }
 private:
  int x_ = 0, y_{1};
  std::function<void()> f_ = [this] { area(); };
};

template <>
struct hash<Shape> { size_t operator()(const Shape&) const; };

template <class T>
  requires requires(T t) { t.x; }
class Box {
  Box(T t) try : t_(t) {} catch (...) {}
  T t_;
};

template <class T>
template <class U>
void Box<T>::set(U u) {
}

template class Box<int>;
template <class T> concept Small = sizeof(T) < 4;
template <class T> using Vec = std::vector<T>;
using Name = std::string;
using std::swap;

Shape::Shape(int x) : Base<int>(x), x_{x}
#ifdef DEBUG
  , y_{3}
#endif
{}
double Shape::area() const { return 1; }
Shape::operator std::vector<int>() const { return {}; }
bool operator!=(const Shape& a, const Shape& b) { return !(a == b); }
unsigned long long operator""_km(unsigned long long v) { return v; }
}  // namespace v1
}
namespace { void hidden() {} int secret = 3; }

void over(int) {}
void over(double) {}
void over(const char*);
auto lambda = [](int x) { return x; };
std::map<int, std::string> names{{1, "a"}, {2, "b"}};
int main() { struct Local { void m() {} }; return 0; }
NS_END
namespace alias = lib::a;
static_assert(true, "");
Foo object(1, 2);
