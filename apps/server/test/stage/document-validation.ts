import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import type { Schema, ServedDocument } from './document-walk.ts';

/** Validates values by schemas of the document. */
export interface Validation {
  /** Returns the faults of a value as text; empty if the value is valid. */
  faultsOf(schema: Schema, value: unknown): string[];
}

/**
 * @param closed whether members that the schema does not name are faults, because responses must be
 * documented. The schemas themselves are not validated: `generators.test.ts` does so once per run.
 */
export function createValidation(document: ServedDocument, closed = false): Validation {
  const ajv = new Ajv2020({
    ...{ strict: false, allErrors: true, formats: { int64: true }, validateSchema: !closed },
    // A schema validates only a few values, and compiling it would take thousands of times as long.
    code: { optimize: false },
  });
  formats.default(ajv, ['date-time', 'email', 'uri', 'uuid']);
  const prepared = (schema: unknown) => located(closed ? close(schema) : schema);
  ajv.addSchema({ $id: 'document', $defs: Object(prepared(document.components.schemas)) });
  const compiled = new Map<Schema, ValidateFunction>();
  /** Most error responses have the same schema, at different places in the document. */
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

/** References are rewritten to the validator's locations. */
function located(schema: unknown): unknown {
  return JSON.parse(JSON.stringify(schema).replaceAll('"#/components/schemas/', '"document#/$defs/'));
}

/** Closes objects that name members, unless their schema says whether other members are allowed. */
function close(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(close);
  if (typeof schema !== 'object' || schema === null) return schema;
  const inside = Object.fromEntries(Object.entries(schema).map(([name, part]) => [name, close(part)]));
  const isOpen = 'additionalProperties' in schema || 'allOf' in schema || !('type' in schema);
  return isOpen || !('properties' in schema) ? inside : { ...inside, additionalProperties: false };
}
