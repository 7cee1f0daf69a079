import { describe, expect, it } from 'vitest';
import { rewriteParameters } from './statements.ts';

describe('numbered parameters', () => {
  it('become places, with their order kept only where it differs', () => {
    expect(rewriteParameters('a = $1 and b = $2')).toEqual({ text: 'a = ? and b = ?', order: undefined });
    expect(rewriteParameters('b = $2 and a = $1 or $2')).toEqual({
      text: 'b = ? and a = ? or ?',
      order: [1, 0, 1],
    });
  });

  it('are left alone inside of texts and names in quotes', () => {
    expect(rewriteParameters(`'$1 it''s' || "$2" || $1`)).toEqual({
      text: `'$1 it''s' || "$2" || ?`,
      order: undefined,
    });
  });
});
