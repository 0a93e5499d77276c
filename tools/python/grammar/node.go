package grammar

// kind identifies the construct that a node represents.
type kind uint8

// Expressions. Each comment lists the children of the node.
const (
	kInvalid  kind = iota
	kName          // token: the name
	kNumber        // token
	kString        // the expressions of its replacement fields, in order
	kConstant      // token: True, False, None or ...
	kTuple         // elements
	kList          // elements
	kSet           // elements
	kDict          // alternating keys and values; kDoubleStar has no value
	kPair          // key, value of a dict comprehension
	kListComp      // element or kPair, kFor …
	kSetComp
	kDictComp
	kGenerator
	kFor        // target, iterable, conditions …
	kChain      // base, trailers: kAttribute, kSubscript, kCall
	kAttribute  // token: the name
	kSubscript  // the indexes
	kCall       // arguments
	kKeyword    // token: the name; value
	kStar       // operand
	kDoubleStar // operand
	kUnary      // operand; + - ~
	kNot        // operand
	kBinary     // operands
	kCompare    // operands
	kBool       // operands
	kIfElse     // value, condition, alternative
	kLambda     // parameters …, body last
	kWalrus     // kName, value
	kAwait      // operand
	kYield      // operand or nothing
	kSlice      // the parts that are present

	kExpressionStatement // expression
	kAssign              // targets …, value last
	kAugmented           // target, value
	kAnnotated           // target, annotation, value or nothing
	kReturn              // value or nothing
	kDelete              // targets
	kWord                // pass, break, continue; token
	kGlobal              // kName …
	kNonlocal            // kName …
	kImport              // kAlias …
	kImportFrom          // kPath, kAlias … ; token: the star of "import *" or -1
	kAlias               // kPath or kName, alias kName or nothing
	kPath                // kName …
	kRaise               // expressions
	kAssert              // expressions
	kTypeAlias           // kName, kTypeParameters or nil, value
	kSimple              // several simple statements of one line

	kIf             // condition, kBlock, then kElif … and kElse
	kElif           // condition, kBlock
	kElse           // kBlock
	kWhile          // condition, kBlock, kElse or nothing
	kForLoop        // target, iterable, kBlock, kElse or nothing
	kWith           // kItem …, kBlock last
	kItem           // expression, target or nothing
	kTry            // kBlock, kExcept …, kElse, kFinally
	kExcept         // types …, kName or nil, kBlock
	kFinally        // kBlock
	kFunction       // token: the name; kDecorators, kTypeParameters, kParameters, result or nil, kBlock
	kClass          // token: the name; kDecorators, kTypeParameters, kCall or nil, kBlock
	kDecorators     // expressions
	kTypeParameters // kTypeParameter …
	kTypeParameter  // token: the name; bound or nil, default or nil
	kParameters     // kParameter …
	kParameter      // token: the name; annotation or nil, default or nil
	kMatch          // subject, kCase …
	kCase           // pattern, guard or nil, kBlock
	kBlock          // statements
	kBroken         // the parsed part of a statement that does not parse: a kBlock or nothing

	kCapture       // token: the name that a pattern binds
	kMatchValue    // an expression
	kPatterns      // a sequence, an alternative or a group of patterns
	kMatchClass    // the class, patterns, kKeyword …
	kMatchMapping  // alternating keys and patterns, kCapture for the rest
	kMatchWildcard // _
)

// node is a piece of the syntax tree.
type node struct {
	kind       kind
	paren      bool // is enclosed in parentheses
	flag       bool // async, or the star of a type parameter
	token      int32
	start, end int32 // byte offsets
	kids       []*node
}

// arena allocates nodes and lists of nodes.
type arena struct {
	nodes []node
	lists []*node
}

func (a *arena) node() *node {
	if len(a.nodes) == 0 {
		a.nodes = make([]node, 256)
	}
	n := &a.nodes[0]
	a.nodes = a.nodes[1:]
	return n
}

// list copies a list into newly allocated memory.
func (a *arena) list(from []*node) []*node {
	if len(from) == 0 {
		return nil
	}
	if len(a.lists) < len(from) {
		a.lists = make([]*node, max(512, len(from)))
	}
	out := a.lists[:len(from):len(from)]
	a.lists = a.lists[len(from):]
	copy(out, from)
	return out
}

// kid returns child i, or nil if there is none.
func (n *node) kid(i int) *node {
	if i < len(n.kids) {
		return n.kids[i]
	}
	return nil
}

// last returns the last child.
func (n *node) last() *node { return n.kids[len(n.kids)-1] }
