import { type ContentSchema, compileSchema } from '../content/content-schema.ts';
import { linearPattern } from '../content/linear-pattern.ts';
import { specifiedContents, technologyNamed } from './specified/index.ts';
import { compileTechnology, type GloContent, type GloTechnology } from './technology.ts';

/**
 * Makes a technology of what an adapter says of its content, which may be a stranger's. Where that is nothing, or what the
 * specification says of the technology, it is the specified one, with the rules that no schema can say.
 *
 * @throws {GloError} with pointers into `content`: a schema with a keyword that is not read, a pattern that could take
 * more than linear time, or more of anything than is looked at.
 */
export function readTechnology(technology: string, content?: GloContent): GloTechnology {
  const specified = specifiedContents.find((one) => one.technology === technology);
  const isAsSpecified = JSON.stringify(content) === JSON.stringify(specified?.content);
  if (content === undefined || isAsSpecified) return technologyNamed(technology);
  return compileTechnology(technology, content, linearPattern);
}

/**
 * Reads a JSON Schema of the subset that is described in the README, which a stranger may have written.
 *
 * @throws {GloError} as {@link readTechnology} does, with pointers into the schema.
 */
export function readSchema(schema: unknown): ContentSchema {
  return compileSchema(schema, linearPattern);
}
