import { expect, test } from 'vitest';

const add = (a: number, b: number) => a - b;

test('adds two numbers', () => expect(add(1, 1)).toBe(2));
