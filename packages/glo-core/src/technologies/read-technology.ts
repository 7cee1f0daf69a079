import { type ContentSchema, compileSchema } from '../content/content-schema.ts';
import { linearPattern } from '../content/linear-pattern.ts';
import { specifiedContents, technologyNamed } from './specified/index.ts';
import { compileTechnology, type GloContent, type GloTechnology } from './technology.ts';

/**
 * Creates a technology from an adapter's content description, which may be untrusted. If there is none, or it
 * equals the specification's, returns the specified technology, which also has the rules that no schema can
 * express.
 *
 * @throws {GloError} with pointers into `content`: an unsupported keyword, a pattern that could take more
 * than linear time, or a description that exceeds the limits.
 */
export function readTechnology(technology: string, content?: GloContent): GloTechnology {
  const specified = specifiedContents.find((one) => one.technology === technology);
  const isAsSpecified = JSON.stringify(content) === JSON.stringify(specified?.content);
  if (content === undefined || isAsSpecified) return technologyNamed(technology);
  return compileTechnology(technology, content, linearPattern);
}

/**
 * Reads a JSON Schema of the subset described in the README. It may be untrusted.
 *
 * @throws {GloError} like {@link readTechnology}, with pointers into the schema.
 */
export function readSchema(schema: unknown): ContentSchema {
  return compileSchema(schema, linearPattern);
}
