import type { JsonObject } from '../../json/json-values.ts';
import { invalid, toError } from '../../problems.ts';
import type { GloTechnology } from '../technology.ts';

/** Content of a specified technology, which has one schema for all operation types. @throws {GloError} */
export function readTyped({ contentOf }: GloTechnology, content: JsonObject, pointer: string): JsonObject {
  const { value, issues } = contentOf('transfer').read(content, pointer);
  if (issues.length > 0) throw toError(issues.map(({ pointer: at, detail }) => invalid(at, detail)));
  // The schema guarantees an object.
  return value as JsonObject;
}
