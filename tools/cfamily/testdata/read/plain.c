/* License. */
#ifndef PLAIN_H
#define PLAIN_H
#include <stdio.h>

#define LIMIT 10
#define MAX(a, b) ((a) > (b) ? (a) : (b))
#define SWAP(a, b) do { \
	int t = a; a = b; b = t; \
} while (0)
#define EXPORT __attribute__((visibility("default")))
#define EMPTY

#ifdef __cplusplus
extern "C" {
#endif

/** A point.
 *  Second line. */
struct point { int x, y; };

// Named by a typedef.
typedef struct {
	int a;
	union { int b; float c; };
} anonymous_t;
typedef struct node { struct node *next; } node_t, *node_p;
typedef enum { RED, GREEN = 2 } color;
enum kind : int { A, B };
union value { int i; double d; };
typedef int (*callback)(int, void *);
typedef unsigned long ulong_t;

int add(int a, int b);
extern int counter;
int table[] = { 1, 2,
	3 };
static struct point origin = { 0, 0 };

EXPORT
int add(int a, int b)
{
	return a + b; /* } */
}

static inline const char *name(void) { return "}{"; }

int (*choose(int which))(int) { return 0; }
void (paren)(int x) {}

/* Old style. */
int old(a, b)
	int a;
	char *b;
{
	return a;
}

main(argc, argv) char **argv; { return 0; }

#if 0
int dead(void) { return 1; }
#endif

#if defined(A)
int branch(int a) {
#elif defined(B)
int branch(long a) {
#else
int branch(char a) {
#endif
	return 1;
}

#ifdef X
int both(void) { return 1; }
#else
int both(void) { return 2; }
#endif

struct __attribute__((packed)) packed { char c; } __attribute__((aligned(4)));
struct opaque;
struct point *make(struct point p) { return 0; }
int noreturn_fn(void) __attribute__((noreturn));
_Static_assert(sizeof(int) == 4, "int");

TEST(suite, case) {
	if (1) { }
}

#ifdef __cplusplus
}
#endif
#endif
