import { expect, it } from 'vitest';
import * as z from 'zod/mini';
import { invalidVectors, toJson, validVectors } from '../../test/read-vectors.ts';
import { GloError, parseGlo } from '../index.ts';

// This file has its own module instances, so that no schema is compiled before.
z.config({ jitless: true });

it.each(validVectors)(
  'reads %s with the same result without compiled schemas as with them',
  (_, { input, target, expected }) => {
    expect(toJson(parseGlo(input, target === undefined ? {} : { target }))).toEqual(expected.glo);
  },
);

it.each(invalidVectors)(
  'refuses %s with the same pointers without compiled schemas as with them',
  (_, { input, target, expected }) => {
    try {
      parseGlo(input, target === undefined ? {} : { target });
    } catch (error) {
      expect(error).toBeInstanceOf(GloError);
      const pointers = (error as GloError).issues.map(({ pointer }) => pointer);
      expect(pointers.sort()).toEqual(expected.issues.map(({ pointer }) => pointer).sort());
      return;
    }
    throw new Error('expected a GloError');
  },
);
