import { common, msp, peer } from '@hyperledger/fabric-protos';
import type { Phase } from '@ledger-ops/adapter';
import { invalid } from '../invalid.ts';

const { SignaturePolicy, SignaturePolicyEnvelope } = common;
type Rule = common.SignaturePolicy;

/** The channel's default rule, which applies to chaincode without a policy. */
const channelDefault = '/Channel/Application/Endorsement';
const deepest = 32;
const most = 256;
const roles: Readonly<Record<string, 0 | 1 | 2 | 3 | 4>> = {
  member: msp.MSPRole.MSPRoleType.MEMBER,
  admin: msp.MSPRole.MSPRoleType.ADMIN,
  client: msp.MSPRole.MSPRoleType.CLIENT,
  peer: msp.MSPRole.MSPRoleType.PEER,
  orderer: msp.MSPRole.MSPRoleType.ORDERER,
};

/**
 * Creates the validation parameter of a definition (`protos.ApplicationPolicy`), from a policy expression
 * such as `AND('Org1MSP.member', OR('Org2MSP.peer', OutOf(1, 'Org3MSP.member')))` (Fabric: common/policydsl),
 * or from the name of a channel policy (`/Channel/Application/Endorsement`). Without either, uses the
 * channel's default.
 *
 * @throws AdapterError `invalid-argument` at `/native/endorsement_policy`, with the position in the
 * expression
 */
export function encodePolicy(text: string | undefined, phase: Phase): Uint8Array {
  const policy = new peer.ApplicationPolicy();
  if (text === undefined || text.trim().startsWith('/')) {
    policy.setChannelConfigPolicyReference(text?.trim() ?? channelDefault);
  } else {
    policy.setSignaturePolicy(parsePolicy(text, phase));
  }
  return policy.serializeBinary();
}

/** @throws AdapterError `invalid-argument` */
export function parsePolicy(text: string, phase: Phase): common.SignaturePolicyEnvelope {
  const principals = new Map<string, number>();
  const envelope = new SignaturePolicyEnvelope();
  let position = 0;
  let rules = 0;

  function wrong(detail: string): Error {
    return invalid(phase, '/native/endorsement_policy', `${detail}, at character ${position + 1}`);
  }
  function take(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = position;
    const match = pattern.exec(text);
    if (match !== null) position += match[0].length;
    return match;
  }
  function count(): void {
    rules += 1;
    if (rules > most) throw wrong(`has more than ${most} rules`);
  }

  function readRule(depth: number): Rule {
    if (depth > deepest) throw wrong(`is nested more than ${deepest} levels deep`);
    count();
    const quoted = take(/\s*(?:'([^']*)'|"([^"]*)")/y);
    if (quoted !== null) return signedBy(quoted[1] ?? quoted[2] ?? '');
    const operator = take(/\s*(AND|OR|OutOf)\s*\(/iy)?.[1]?.toLowerCase();
    if (operator === undefined) throw wrong("must be a rule: 'Org1MSP.member', AND(…), OR(…) or OutOf(n, …)");
    const wanted =
      operator === 'outof'
        ? Number(
            take(/\s*(?:'(\d{1,9})'|(\d{1,9}))\s*,/y)
              ?.slice(1)
              .find(Boolean) ?? Number.NaN,
          )
        : undefined;
    if (Number.isNaN(wanted)) throw wrong('OutOf must start with a number and a comma');
    const members = [readRule(depth + 1)];
    while (take(/\s*,/y) !== null) members.push(readRule(depth + 1));
    if (take(/\s*\)/y) === null) throw wrong('expected a comma or a closing parenthesis');
    const n = wanted ?? (operator === 'and' ? members.length : 1);
    if (n < 1 || n > members.length) throw wrong(`must not require ${n} of ${members.length} rules`);
    const outOf = new SignaturePolicy.NOutOf();
    outOf.setN(n);
    outOf.setRulesList(members);
    const rule = new SignaturePolicy();
    rule.setNOutOf(outOf);
    return rule;
  }

  function signedBy(name: string): Rule {
    const [, mspId, role = ''] = /^([A-Za-z0-9.-]+)\.(\w+)$/.exec(name) ?? [];
    const number = Object.hasOwn(roles, role) ? roles[role] : undefined;
    if (mspId === undefined || number === undefined) {
      throw wrong(
        `contains ${JSON.stringify(name.slice(0, 100))}, which is not <mspId>.member, .admin, .client, .peer or .orderer`,
      );
    }
    let index = principals.get(name);
    if (index === undefined) {
      index = principals.size;
      principals.set(name, index);
      const who = new msp.MSPRole();
      who.setMspIdentifier(mspId);
      who.setRole(number);
      const principal = new msp.MSPPrincipal();
      principal.setPrincipalClassification(msp.MSPPrincipal.Classification.ROLE);
      principal.setPrincipal(who.serializeBinary());
      envelope.addIdentities(principal);
    }
    const rule = new SignaturePolicy();
    rule.setSignedBy(index);
    return rule;
  }

  const rule = readRule(0);
  if (take(/\s*$/y) === null) throw wrong('has more than one rule');
  // A single name becomes "1 of 1", as in the peer's command line.
  if (rule.getTypeCase() === SignaturePolicy.TypeCase.SIGNED_BY) {
    const outOf = new SignaturePolicy.NOutOf();
    outOf.setN(1);
    outOf.setRulesList([rule]);
    const whole = new SignaturePolicy();
    whole.setNOutOf(outOf);
    envelope.setRule(whole);
  } else envelope.setRule(rule);
  envelope.setVersion(0);
  return envelope;
}
