import { expect, it } from 'vitest';
import { createUuidv7, uuidv7 } from './uuidv7.ts';

it('generates version 7 ids that contain their time', () => {
  const id = createUuidv7()(0x0123_4567_89ab);
  expect(id).toMatch(/^01234567-89ab-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
});

it('generates strictly increasing ids, even within a millisecond and when the clock steps back', () => {
  let now = 1_000_000;
  const next = createUuidv7(() => now);
  const ids = Array.from({ length: 20_000 }, (_, i) => {
    if (i === 5_000) now -= 500;
    if (i === 15_000) now += 2_000;
    return next();
  });
  expect(ids).toEqual([...ids].sort());
  expect(new Set(ids).size).toBe(ids.length);
});

it('two generators produce different ids at the same time', () => {
  expect(createUuidv7(() => 1)()).not.toBe(createUuidv7(() => 1)());
  expect(uuidv7()).not.toBe(uuidv7());
});
