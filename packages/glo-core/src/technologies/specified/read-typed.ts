import type { JsonObject } from '../../json/json-values.ts';
import { invalid, toError } from '../../problems.ts';
import type { GloTechnology } from '../technology.ts';

/** Content of a specified technology, whose types of operations have one schema. @throws {GloError} */
export function readTyped({ contentOf }: GloTechnology, content: JsonObject, pointer: string): JsonObject {
  const { value, issues } = contentOf('transfer').read(content, pointer);
  if (issues.length > 0) throw toError(issues.map(({ pointer: at, detail }) => invalid(at, detail)));
  // An object, as the schema says.
  return value as JsonObject;
}
