import { describe, expect, it } from 'vitest';
import { identifierKey, isAddress, normalIdentifier } from './identifier.ts';

const nfc = 'jos\u00e9@example.com';

describe('identifiers', () => {
  it.each([
    ['jose\u0301@example.com', nfc, 'a combining accent'],
    ['JOSÉ@Example.COM', nfc, 'case'],
    ['ｊosé@example.com', nfc, 'full-width letters'],
    ['josé＠ｅｘａｍｐｌｅ．com', nfc, 'a full-width sign and domain'],
    ['josé@example.com.', nfc, 'the root’s dot'],
    ['josé@example。com', nfc, 'an ideographic dot'],
    [' josé@example.com ', nfc, 'spaces around it'],
    ['jo\u200bs\u00ade\u0301@exam\u200dple.com', nfc, 'invisible characters'],
    ['ﬁn@example.com', 'fin@example.com', 'a ligature'],
    ['ada@xn--bcher-kva.de', 'ada@bücher.de', 'a domain in ASCII'],
  ])('%s is normalized to %s: %s', (typed, stored) => {
    expect(normalIdentifier(typed)).toBe(stored);
    expect(identifierKey(typed)).toBe(identifierKey(stored));
    expect(normalIdentifier(stored)).toBe(stored);
    expect(identifierKey(identifierKey(typed))).toBe(identifierKey(typed));
  });

  it.each([
    ['straße@example.com', 'STRASSE@example.com'],
    ['STRAẞE@example.com', 'strasse@example.com'],
    ['İpek@example.com', 'ipek@example.com'],
    ['ıpek@example.com', 'IPEK@example.com'],
    ['νίκος@example.com', 'ΝΊΚΟΣ@example.com'],
  ])('%s and %s have the same comparison key, although each keeps its stored form', (one, other) => {
    expect(identifierKey(one)).toBe(identifierKey(other));
    expect(normalIdentifier('straße@example.com')).toBe('straße@example.com');
  });

  it.each([
    ['ada@straße.de', 'ada@strasse.de'],
    ['ada@example.com', 'ada@example.org'],
    ['ada@example.com/x', 'ada@example.com'],
    ['ada@example.com:25', 'ada@example.com'],
    ['ada@1.2.3', 'ada@1.2.0.3'],
  ])('%s and %s have different comparison keys, because their domains differ', (one, other) => {
    expect(identifierKey(one)).not.toBe(identifierKey(other));
    expect(normalIdentifier(one)).not.toBe(normalIdentifier(other));
  });

  it('leaves the ids of service accounts unchanged', () => {
    expect([normalIdentifier('Robot.1'), identifierKey('Robot.1')]).toEqual(['Robot.1', 'Robot.1']);
  });

  it.each([
    'ada',
    '@example.com',
    'ada@',
    'a@b@c',
    'ada @example.com',
    'a\u200bda@example.com',
    'ada.@example.com',
    '.ada@example.com',
    'a..b@example.com',
    'ada@example..com',
    'ada@.com',
    'ada@exa\u00admple.com',
    'ada@example.com/x',
    'ada\u202e@example.com',
    'a\u00a0b@example.com',
    `${'a'.repeat(65)}@example.com`,
    // Characters that normalization would turn into the signs that they resemble.
    'vic\uff1ctim@example.com',
    'a\uff20victim.com\uff0cb@example.com',
    'a\u00a8b@example.com',
    'a@vic\uff0ftim.com',
  ])('%j is not a valid e-mail address', (text) => {
    expect(isAddress(text)).toBe(false);
  });

  it.each(['ada@example.com', 'josé@bücher.de', 'robot@project.organization.127.0.0.1', 'a+b@localhost'])(
    '%s is a valid e-mail address',
    (text) => {
      expect(isAddress(text)).toBe(true);
    },
  );
});
