import { type common, msp, peer } from '@hyperledger/fabric-protos';
import { describe, expect, test } from 'vitest';
import { encodePolicy, parsePolicy } from './endorsement-policy.ts';

/** Parses the encoded policy again. */
function written(envelope: common.SignaturePolicyEnvelope): string {
  const names = envelope.getIdentitiesList().map((principal) => {
    const role = msp.MSPRole.deserializeBinary(principal.getPrincipal_asU8());
    return `${role.getMspIdentifier()}.${role.getRole()}`;
  });
  const write = (rule: common.SignaturePolicy | undefined): string => {
    const outOf = rule?.getNOutOf();
    if (outOf === undefined) return names[rule?.getSignedBy() ?? -1] ?? '?';
    return `${outOf.getN()}(${outOf.getRulesList().map(write).join(' ')})`;
  };
  return write(envelope.getRule());
}

const { MEMBER, ADMIN, PEER } = msp.MSPRole.MSPRoleType;

test.each([
  ["'Org1MSP.member'", `1(Org1MSP.${MEMBER})`],
  ["OR('Org1MSP.member', 'Org2MSP.admin')", `1(Org1MSP.${MEMBER} Org2MSP.${ADMIN})`],
  ["AND('Org1MSP.peer','Org2MSP.peer')", `2(Org1MSP.${PEER} Org2MSP.${PEER})`],
  [
    " OutOf( 2 , 'a.member', OR(\"b.member\", AND('a.member', 'c.member')), 'c.member' ) ",
    `2(a.${MEMBER} 1(b.${MEMBER} 2(a.${MEMBER} c.${MEMBER})) c.${MEMBER})`,
  ],
  ["outof('1', 'a.member')", `1(a.${MEMBER})`],
])('encodes the policy %s', (text, expected) => {
  expect(written(parsePolicy(text, 'check'))).toBe(expected);
});

describe('rejects invalid policies and reports the position', () => {
  test.each([
    ['', 1],
    ["OR('a.member'", 14],
    ["OR('a.member',)", 15],
    ["OR('a.friend')", 14],
    ["NOT('a.member')", 1],
    ["'a.member' 'b.member'", 11],
    ["OutOf('a.member')", 7],
    ["OutOf(3, 'a.member')", 21],
    ["OutOf(0, 'a.member')", 21],
  ])('rejects the policy %j and reports the character position %i', (text, character) => {
    expect(() => parsePolicy(text, 'check')).toThrowError(
      expect.objectContaining({
        problem: expect.objectContaining({
          issues: [
            {
              pointer: '/native/endorsement_policy',
              detail: expect.stringContaining(`at character ${character}`),
            },
          ],
        }),
      }),
    );
  });

  test('rejects a policy that is nested too deeply or has too many rules', () => {
    expect(() => parsePolicy(`${'OR('.repeat(100)}'a.member'${')'.repeat(100)}`, 'check')).toThrow(/nested/);
    expect(() => parsePolicy(`OR(${Array(300).fill("'a.member'").join(',')})`, 'check')).toThrow(
      /more than 256/,
    );
  });
});

test("no policy means the channel's default policy, and a name means the channel policy of that name", () => {
  for (const [text, name] of [
    [undefined, '/Channel/Application/Endorsement'],
    ['/Channel/Application/Admins', '/Channel/Application/Admins'],
  ] as const) {
    const policy = peer.ApplicationPolicy.deserializeBinary(encodePolicy(text, 'check'));
    expect(policy.getChannelConfigPolicyReference()).toBe(name);
  }
});
