/** The id of a user. */
export type ID = string;

export interface User<T> extends Base {
  id: ID;
  greet(name: string): void;
}

enum Color { Red, Green }

namespace App.Core {
  export function start(): void {}
}

declare module "x" {
  function y(): void;
}

@Injectable()
export class Service<T> extends Base implements User<T> {
  private x = 1;
  handler = (e: Event) => { return e; };
  constructor(private a: string) { super(); }
  // Gets it.
  get value(): number { return 1; }
  set value(v: number) {}
  @log()
  async run<T>(a: T): Promise<T> { return a; }
  static make() {}
  abstract y(): void;
}

export abstract class Shape { abstract area(): number; }

export default function main() {}

export const add = (a: number, b: number): number => a + b;
const limit = 3, other = function () {};
function over(a: string): void;
function over(a: number): void;
function over(a: any) {}
