import { common, type msp, peer } from '@hyperledger/fabric-protos';
import { DevnetError } from '@ledger-ops/devnet';
import type { NodeRole } from '../identity/membership.ts';
import { rolePrincipal } from './principals.ts';
import { outOf } from './signature-policy.ts';

const roles: readonly (NodeRole | 'member')[] = ['member', 'admin', 'client', 'peer', 'orderer'];
const token = /\s*(?:'([^']*)'|"([^"]*)"|([A-Za-z]+|\d+)|([(),]))/y;

/**
 * Parses a policy in the syntax of the peer command: `OR('Org1MSP.member', 'Org2MSP.peer')`, `AND(…)`,
 * `OutOf(2, …)`. Rules can be nested.
 * @throws DevnetError with the position of the error
 */
export function parsePolicy(text: string): common.SignaturePolicyEnvelope {
  const tokens = tokenize(text);
  const identities: msp.MSPPrincipal[] = [];
  let at = 0;
  const fail = (): never => {
    throw new DevnetError(
      `The endorsement policy "${text}" is not understood at "${tokens[at]?.value ?? 'its end'}". Use AND, OR, OutOf and quoted principals such as 'Org1MSP.member'.`,
    );
  };
  const take = (value: string) => {
    if (tokens[at]?.value !== value || tokens[at]?.quoted === true) fail();
    at += 1;
  };
  const rule = (): common.SignaturePolicy => {
    const head = tokens[at] ?? fail();
    at += 1;
    if (head.quoted) {
      const parts = /^(.+)\.([a-z]+)$/.exec(head.value);
      const role = roles.find((name) => name === parts?.[2]);
      if (parts?.[1] === undefined || role === undefined) return fail();
      const signed = new common.SignaturePolicy();
      signed.setSignedBy(identities.push(rolePrincipal(parts[1], role)) - 1);
      return signed;
    }
    const kind = head.value.toUpperCase();
    if (kind !== 'AND' && kind !== 'OR' && kind !== 'OUTOF') fail();
    take('(');
    let count = 1;
    if (kind === 'OUTOF') {
      count = Number(tokens[at]?.value);
      if (!Number.isSafeInteger(count)) fail();
      at += 1;
      take(',');
    }
    const rules = [rule()];
    while (tokens[at]?.value === ',') {
      at += 1;
      rules.push(rule());
    }
    take(')');
    return outOf(kind === 'AND' ? rules.length : count, rules);
  };
  const envelope = new common.SignaturePolicyEnvelope();
  envelope.setRule(rule());
  if (at < tokens.length) fail();
  envelope.setIdentitiesList(identities);
  return envelope;
}

/**
 * Encodes a policy for a chaincode definition. The argument is a policy expression, or `/Channel/…` for a
 * policy of the channel.
 */
export function policyBytes(text: string): Uint8Array {
  const policy = new peer.ApplicationPolicy();
  if (text.startsWith('/')) policy.setChannelConfigPolicyReference(text);
  else policy.setSignaturePolicy(parsePolicy(text));
  return policy.serializeBinary();
}

function tokenize(text: string): { value: string; quoted: boolean }[] {
  const tokens: { value: string; quoted: boolean }[] = [];
  const source = text.trimEnd();
  token.lastIndex = 0;
  while (token.lastIndex < source.length) {
    const from = token.lastIndex;
    const match = token.exec(source);
    if (match === null)
      throw new DevnetError(`The endorsement policy "${text}" is not understood at "${source.slice(from)}".`);
    const quoted = match[1] ?? match[2];
    tokens.push({ value: quoted ?? match[3] ?? match[4] ?? '', quoted: quoted !== undefined });
  }
  return tokens;
}
