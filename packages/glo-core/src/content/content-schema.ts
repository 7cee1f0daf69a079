import { GloError, type GloIssue } from '../errors.ts';
import type { Json, JsonObject } from '../json/json-values.ts';
import { contentLimits } from './content-limits.ts';
import { SchemaReader } from './content-reader.ts';
import { type Reading, run } from './content-run.ts';
import type { ReplaceWallet } from './parts.ts';
import type { ReadPattern } from './pattern.ts';

export type { ReplaceWallet };

/**
 * A JSON Schema (2020-12) of the subset that is read here; see "Schemas" in the README. Plain JSON, so
 * that a plugin of any kind can hand it in.
 */
export type JsonSchema = JsonObject;

/** A schema that was read, and is ready to check values. */
export interface ContentSchema {
  /** Checks a value and normalises it: quantities become decimal text. Never throws, and never quotes a value. */
  read(value: unknown, pointer?: string): Reading;
  /**
   * A value that obeys the schema, without what is `writeOnly`: members are left out; of a map whose values are
   * `writeOnly` the names stay, with empty texts. The value itself when there is nothing of the kind in it.
   */
  withoutSecrets<Value extends Json>(value: Value): Value;
  /**
   * A value that obeys the schema, with other texts for those that are `x-wallet`. The value itself when there are none.
   *
   * @param replace called for each, with its place in the value
   */
  replaceWallets<Value extends Json>(value: Value, replace: ReplaceWallet): Value;
}

/**
 * Reads a schema.
 *
 * @param readPattern how its patterns are read: by an engine that takes linear time where a stranger wrote them.
 * @throws {GloError} with an issue for each keyword that is not known or has no usable value, and for a schema that is
 * larger than the limits.
 */
export function compileSchema(schema: unknown, readPattern: ReadPattern): ContentSchema {
  const size = sizeProblem(schema);
  if (size !== undefined) throw new GloError('invalid-glo', [size]);
  const reader = new SchemaReader(readPattern);
  const node = reader.node(schema, '', 0);
  // There would be nothing left of which it could be left out.
  if (node.writeOnly) reader.refuse('/writeOnly', 'cannot be said of the whole; say it of members');
  if (reader.issues.length > 0) throw new GloError('invalid-glo', reader.issues);
  return {
    read: (value, pointer = '') => run(node.check, value, pointer),
    // A redacted value has the form of the value.
    withoutSecrets: (value) => (node.redact === undefined ? value : (node.redact(value) as typeof value)),
    // Texts take the place of texts.
    replaceWallets: (value, replace) =>
      node.rename === undefined ? value : (node.rename(value, '', replace) as typeof value),
  };
}

/** Says when a schema is no JSON or has more of anything than is looked at. */
function sizeProblem(schema: unknown): GloIssue | undefined {
  let values = 0;
  let text = 0;
  const look = (value: unknown, depth: number): string | undefined => {
    values += 1;
    if (values > contentLimits.schemaValues) return `has more than ${contentLimits.schemaValues} values`;
    if (typeof value === 'string') text += value.length;
    if (text > contentLimits.schemaText) return `has more than ${contentLimits.schemaText} characters`;
    if (typeof value !== 'object' || value === null) return undefined;
    if (depth > 2 * contentLimits.schemaDepth) return `has more than ${contentLimits.schemaDepth} levels`;
    for (const [name, member] of Object.entries(value)) {
      text += name.length;
      const found = look(member, depth + 1);
      if (found !== undefined) return found;
    }
    return undefined;
  };
  const detail = look(schema, 0);
  return detail === undefined ? undefined : { pointer: '', detail };
}
