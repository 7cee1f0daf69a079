import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import type { Schema, ServedDocument } from './document-walk.ts';

/** Holds values against schemas of the document. */
export interface Validation {
  /** In words; empty for a valid value. */
  faultsOf(schema: Schema, value: unknown): string[];
}

/**
 * @param closed a member that the schema does not name is a fault too: what is answered has to be described. That the
 *   schemas are schemas is then not looked at: `generators.test.ts` does it, once in a run.
 */
export function createValidation(document: ServedDocument, closed = false): Validation {
  const ajv = new Ajv2020({
    ...{ strict: false, allErrors: true, formats: { int64: true }, validateSchema: !closed },
    // A schema holds a few values and costs thousands of times as much to compile.
    code: { optimize: false },
  });
  formats.default(ajv, ['date-time', 'email', 'uri', 'uuid']);
  const prepared = (schema: unknown) => located(closed ? close(schema) : schema);
  ajv.addSchema({ $id: 'document', $defs: Object(prepared(document.components.schemas)) });
  const compiled = new Map<Schema, ValidateFunction>();
  /** Most answers that are no success have the same schema, at a place of its own in the document. */
  const compiledByText = new Map<string, ValidateFunction>();
  const compile = (schema: Schema) => {
    const text = JSON.stringify(schema);
    const validate = compiledByText.get(text) ?? ajv.compile(Object(prepared(schema)));
    compiledByText.set(text, validate);
    return validate;
  };
  return {
    faultsOf(schema, value) {
      const validate = compiled.get(schema) ?? compile(schema);
      compiled.set(schema, validate);
      if (validate(value)) return [];
      return (validate.errors ?? []).map(({ instancePath, message = '', params }) => {
        const member = 'additionalProperty' in params ? ` (${String(params.additionalProperty)})` : '';
        return `${instancePath} ${message}${member}`;
      });
    },
  };
}

/** With references to where the validator has the document's schemas. */
function located(schema: unknown): unknown {
  return JSON.parse(JSON.stringify(schema).replaceAll('"#/components/schemas/', '"document#/$defs/'));
}

/** With every object closed that names its members and says nothing of others. */
function close(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(close);
  if (typeof schema !== 'object' || schema === null) return schema;
  const inside = Object.fromEntries(Object.entries(schema).map(([name, part]) => [name, close(part)]));
  const isOpen = 'additionalProperties' in schema || 'allOf' in schema || !('type' in schema);
  return isOpen || !('properties' in schema) ? inside : { ...inside, additionalProperties: false };
}
