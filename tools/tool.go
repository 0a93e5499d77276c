package tools

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"reflect"
)

// Tool is a function that a model can call. Only the constructors of this package create tools.
type Tool interface {
	// Spec returns the description of the tool.
	Spec() Spec
	// Schema returns the JSON Schema of the arguments: a closed object, with the same bytes every time.
	Schema() json.RawMessage
	// bind decodes arguments and returns the call. The error is an *ArgumentError.
	bind(args json.RawMessage) (call, error)
}

// call is a tool with its arguments. Either run or plan is set.
type call struct {
	run  func(context.Context, Env) (Result, error)
	plan func(context.Context, Env) (Plan, error)
}

// Reader returns a tool that changes nothing. Its effect is Reads, Network or both. A handler's error that is a
// *Refusal or comes from the sandbox is converted for the model by Failure; any other is internal. Reader panics
// on an invalid spec or argument struct, because both are constants of the program.
func Reader[In any](spec Spec, handle func(ctx context.Context, env Env, in In) (Result, error)) Tool {
	mustFit(spec, spec.Effect.Valid() && !spec.Effect.Has(Writes) && !spec.Effect.Has(Executes),
		"a reader must not write or execute")
	return newTyped(spec, func(in In) call {
		return call{run: func(ctx context.Context, env Env) (Result, error) { return handle(ctx, env, in) }}
	})
}

// Writer returns a tool that plans changes of files and changes nothing itself. Its effect contains Writes and
// not Executes. A planner may be called more than once for one call, and must return the same plan for the same
// files. Panics and errors are as with Reader.
func Writer[In any](spec Spec, plan func(ctx context.Context, env Env, in In) (Plan, error)) Tool {
	mustFit(spec, spec.Effect.Has(Writes) && !spec.Effect.Has(Executes), "a writer must write and must not execute")
	return newTyped(spec, func(in In) call {
		return call{plan: func(ctx context.Context, env Env) (Plan, error) { return plan(ctx, env, in) }}
	})
}

// Executor returns a tool whose effects cannot be predicted. Its effect contains Executes. Panics and errors are
// as with Reader.
func Executor[In any](spec Spec, handle func(ctx context.Context, env Env, in In) (Result, error)) Tool {
	mustFit(spec, spec.Effect.Has(Executes), "an executor must execute")
	return newTyped(spec, func(in In) call {
		return call{run: func(ctx context.Context, env Env) (Result, error) { return handle(ctx, env, in) }}
	})
}

// Outside returns a tool that changes something through a program or a service, so no plan of files can show the
// change. Its effect contains Writes and not Executes, so it needs approval like other writes. But it has an
// empty preview, and an interrupted call cannot be resumed: only a user can decide whether to repeat it. Panics
// and errors are as with Reader.
func Outside[In any](spec Spec, handle func(ctx context.Context, env Env, in In) (Result, error)) Tool {
	mustFit(spec, spec.Effect.Has(Writes) && !spec.Effect.Has(Executes),
		"a tool that changes something outside must write and must not execute")
	return newTyped(spec, func(in In) call {
		return call{run: func(ctx context.Context, env Env) (Result, error) { return handle(ctx, env, in) }}
	})
}

// Foreign returns a tool whose schema and handler come from outside, such as a tool of an MCP server. Its
// arguments are only checked to be one JSON object. An invalid spec is an error, because it comes from outside.
func Foreign(spec Spec, schema json.RawMessage, handle func(ctx context.Context, env Env, args json.RawMessage) (Result,
	error)) (Tool, error) {
	if err := spec.validate(); err != nil {
		return nil, err
	}
	var object map[string]json.RawMessage
	if err := json.Unmarshal(schema, &object); err != nil || object == nil {
		return nil, fmt.Errorf("tools: %s: the schema is not a JSON object", spec.Name)
	}
	return tool{spec: spec, schema: schema, decode: func(args json.RawMessage) (call, error) {
		if _, err := objectOf(spec.Name, args); err != nil {
			return call{}, err
		}
		if len(bytes.TrimSpace(args)) == 0 {
			args = json.RawMessage("{}")
		}
		return call{run: func(ctx context.Context, env Env) (Result, error) { return handle(ctx, env, args) }}, nil
	}}, nil
}

// tool is the only implementation of Tool. It does not depend on the type of the arguments.
type tool struct {
	spec   Spec
	schema json.RawMessage
	decode func(json.RawMessage) (call, error)
}

func (t tool) Spec() Spec                              { return t.spec }
func (t tool) Schema() json.RawMessage                 { return append(json.RawMessage(nil), t.schema...) }
func (t tool) bind(args json.RawMessage) (call, error) { return t.decode(args) }

func newTyped[In any](spec Spec, bind func(In) call) Tool {
	if err := spec.validate(); err != nil {
		panic(err)
	}
	fields, err := fieldsOf(reflect.TypeFor[In]())
	if err != nil {
		panic(fmt.Errorf("tools: %s: %w", spec.Name, err))
	}
	return tool{spec: spec, schema: schemaOf(fields), decode: func(args json.RawMessage) (call, error) {
		var in In
		if err := decodeInto(spec.Name, fields, args, reflect.ValueOf(&in).Elem()); err != nil {
			return call{}, err
		}
		return bind(in), nil
	}}
}

func mustFit(spec Spec, ok bool, why string) {
	if !ok {
		panic(fmt.Sprintf("tools: %s has effect %s: %s", spec.Name, spec.Effect, why))
	}
}
