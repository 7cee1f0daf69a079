import * as z from 'zod/mini';
import { base64, currentGloVersion, gloSchemas } from './schema.ts';

/** What the parser finds with a pattern and the length. */
const wholeBase64 = '^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$';

/**
 * The JSON Schema (2020-12) of a GLO in its canonical form, made from the schemas that the parser uses. It holds
 * each member for itself; what holds between members, and the older forms, only the parser knows. A new object
 * with each call.
 */
export function gloJsonSchema(): Record<string, unknown> {
  const { transfer, contract_call, contract_deploy } = gloSchemas;
  const union = z.discriminatedUnion('type', [transfer, contract_call, contract_deploy]);
  return {
    ...z.toJSONSchema(union, {
      target: 'draft-2020-12',
      io: 'input',
      override({ zodSchema, jsonSchema }) {
        if (zodSchema === base64) jsonSchema.pattern = wholeBase64;
      },
    }),
    title: 'Generic ledger operation (GLO)',
    description: `Canonical form, version ${currentGloVersion}.`,
  };
}
