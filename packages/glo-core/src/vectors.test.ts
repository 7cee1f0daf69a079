import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { invalidVectors as invalid, toJson, validVectors as valid } from '../test/read-vectors.ts';
import {
  effectiveOperation,
  GloError,
  gloJsonSchema,
  parseGlo,
  serialiseGlo,
  technologyNamed,
} from './index.ts';

function errorOf(run: () => unknown): GloError {
  try {
    run();
  } catch (error) {
    if (error instanceof GloError) return error;
    throw error;
  }
  throw new Error('expected a GloError');
}

const validate = new Ajv2020({ strict: true, strictTypes: false }).compile(gloJsonSchema());

describe('valid vectors', () => {
  it.each(valid)('reads the vector %s as specified', (_, { input, target, expected }) => {
    const glo = parseGlo(input, target === undefined ? {} : { target });
    expect(toJson(glo)).toEqual(expected.glo);
    if (expected.effective !== undefined) {
      const { technology, ...rest } = expected.effective;
      expect(toJson(effectiveOperation(glo, technologyNamed(technology)))).toEqual(rest);
    }
  });

  it.each(valid)('the vector %s is unchanged after it is written and read again', (_, { input }) => {
    const glo = parseGlo(input);
    if (glo.type === 'contract_call' && glo.options.contractInstance.type === 'unresolved') {
      expect(errorOf(() => serialiseGlo(glo)).issues[0]?.pointer).toBe('/options/contract_instance');
    } else {
      expect(parseGlo(JSON.parse(JSON.stringify(serialiseGlo(glo))))).toEqual(glo);
      expect(validate(serialiseGlo(glo)), JSON.stringify(validate.errors)).toBe(true);
    }
  });

  it.each(valid)('the vector %s satisfies the JSON Schema', (_, { input }) => {
    expect(validate(input), JSON.stringify(validate.errors)).toBe(true);
  });
});

describe('invalid vectors', () => {
  it.each(invalid)('refuses %s with exactly the specified issues', (_, { input, target, expected }) => {
    const error = errorOf(() => parseGlo(input, target === undefined ? {} : { target }));
    const byPointer = (a: { pointer: string }, b: { pointer: string }) => (a.pointer < b.pointer ? -1 : 1);
    const found = error.issues.map(({ pointer, detail }) => ({ pointer, detail })).sort(byPointer);
    expect(found).toEqual(
      expected.issues
        .map(({ pointer, detailContains }) => ({
          pointer,
          detail: expect.stringContaining(detailContains ?? ''),
        }))
        .sort(byPointer),
    );
    expect(error.code).toBe(expected.code);
  });

  it.each(invalid)(
    'with a base pointer, the vector %s has the same issues below that pointer',
    (_, { input, target }) => {
      const at = (pointer: string) =>
        errorOf(() => parseGlo(input, target === undefined ? { pointer } : { pointer, target }));
      expect(at('/body/glo').issues).toEqual(
        at('').issues.map(({ pointer, detail }) => ({ pointer: `/body/glo${pointer}`, detail })),
      );
    },
  );

  it('there are enough valid and invalid vectors', () => {
    expect(valid.length + invalid.length).toBeGreaterThanOrEqual(120);
  });
});

describe('the JSON Schema', () => {
  it('the JSON Schema contains only patterns that all languages support', () => {
    expect(JSON.stringify(gloJsonSchema())).not.toMatch(/\\\\[pPu]|\(\?[^:]/);
  });

  /**
   * Vectors that the JSON Schema accepts although the parser refuses them. The schema cannot express rules between
   * members or for a target, and describes patterns that only some languages support in words.
   */
  const beyondSchema =
    /^(ethereum-(gas-price-and|priority-above|deploy-to)|fabric-.*-in-call|.*wrong|meta-one-of-two|proto-member-transient|meta-any-technology-proto|version-in-older-form|.*-(control|surrogate)$)/;

  it.each(invalid.filter(([name]) => !beyondSchema.test(name)))(
    'the JSON Schema refuses %s like the parser',
    (_, { input }) => {
      expect(validate(input)).toBe(false);
    },
  );
});
