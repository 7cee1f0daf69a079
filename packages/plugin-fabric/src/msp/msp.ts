import type { X509Certificate } from 'node:crypto';
import { type AdapterError, adapterError, type Phase, type WalletIdentity } from '@ledger-ops/adapter';
import { slices } from '@ledger-ops/glo-core';
import QuickLRU from 'quick-lru';
import { classify, toAdapterError } from '../gateway/errors.ts';
import { grpcCode, PeerError } from '../gateway/peer-error.ts';
import type { Qscc } from '../gateway/qscc.ts';
import { readCertificate } from '../identity/certificate.ts';
import { invalid } from '../invalid.ts';
import { type MspConfig, readMsps } from './channel-config.ts';
import { findRevocation, type Revocation } from './revocation.ts';

/** A wallet's certificate, with the data that signing needs. */
export interface MemberIdentity {
  mspId: string;
  certificate: string;
}

/**
 * Validates certificates against the channel's member organizations, because peers refuse them with few
 * details.
 */
export interface Msps {
  /**
   * Checks dates, key, and the chain to one of the organization's roots. Also checks revocation if the
   * organization publishes revocation lists.
   *
   * @throws AdapterError `certificate-invalid`, or `unknown-contract` if the channel does not exist
   */
  requireValid(channel: string, identity: MemberIdentity, phase: Phase, at: number): Promise<void>;
  /**
   * Checks the same with the newest configuration, after a peer refused the identity without a reason.
   * Returns without an error if the configuration cannot be read.
   */
  requireAccepted(channel: string, identity: MemberIdentity, phase: Phase, at: number): Promise<void>;
  /**
   * Checks that the endorsing organizations that a call names are members of the channel. Does not check
   * whether their peers are up.
   *
   * @throws AdapterError `invalid-argument` at `/native/endorsing_organizations/<n>`, `unknown-contract`
   */
  requireMembers(channel: string, mspIds: readonly string[], phase: Phase, at: number): Promise<void>;
}

interface Config {
  members: Map<string, MspConfig>;
  readAt: number;
  /** Certificates that passed the check, with their validity. */
  checked: QuickLRU<string, { from: number; to: number }>;
}

/** @param freshFor milliseconds after which a channel's configuration is read again in the background */
export function createMsps(qscc: Qscc, freshFor: number): Msps {
  const configs = new Map<string, Config>();
  const reading = new Map<string, Promise<Config>>();

  function read(channel: string, at: number): Promise<Config> {
    const under = reading.get(channel);
    if (under !== undefined) return under;
    const fresh = qscc
      .configBlock(channel)
      .then(async (block) => {
        const config = {
          members: await slices.run(readMsps(block)).catch((error: unknown) => {
            throw new PeerError(
              grpcCode.unavailable,
              'The peer returned a response that cannot be read.',
              [],
              error,
            );
          }),
          readAt: at,
          checked: new QuickLRU<string, { from: number; to: number }>({ maxSize: 5000 }),
        };
        configs.set(channel, config);
        return config;
      })
      .finally(() => reading.delete(channel));
    reading.set(channel, fresh);
    return fresh;
  }

  async function configOf(channel: string, phase: Phase, at: number): Promise<Config> {
    const known = configs.get(channel);
    if (known !== undefined) {
      // The next check uses the new configuration. Until then, an unreachable peer has no effect.
      if (at - known.readAt > freshFor) read(channel, at).catch(() => undefined);
      return known;
    }
    try {
      return await read(channel, at);
    } catch (error) {
      if (!(error instanceof PeerError)) throw error;
      if (classify(error).kind === 'unknown-channel') {
        const detail = `The ledger has no channel ${channel}, or its observer is not allowed to read it.`;
        throw adapterError('unknown-contract', detail, {
          phase,
          issues: [{ pointer: '/contract_instance/resource', detail: 'names a channel that does not exist' }],
        });
      }
      throw toAdapterError(error, phase);
    }
  }

  const requireValid: Msps['requireValid'] = async (channel, identity, phase, at) => {
    await requireBy(await configOf(channel, phase, at), channel, identity, phase, at);
  };

  return {
    requireValid,
    async requireAccepted(channel, identity, phase, at) {
      let config: Config;
      try {
        config = await read(channel, at);
      } catch (error) {
        if (error instanceof PeerError) return;
        throw error;
      }
      await requireBy(config, channel, identity, phase, at);
    },
    async requireMembers(channel, mspIds, phase, at) {
      const { members } = await configOf(channel, phase, at);
      const stranger = mspIds.findIndex((mspId) => !members.has(mspId));
      if (stranger === -1) return;
      const known = [...members.keys()].join(', ');
      const detail = `must be a member of the channel ${channel}; its members are ${known}`;
      throw invalid(phase, `/native/endorsing_organizations/${stranger}`, detail);
    },
  };
}

/** @throws AdapterError `certificate-invalid` */
async function requireBy(
  { members, checked }: Config,
  channel: string,
  { mspId, certificate }: MemberIdentity,
  phase: Phase,
  at: number,
): Promise<void> {
  const key = `${mspId} ${certificate}`;
  let period = checked.get(key);
  if (period === undefined) {
    period = await slices.run(requireMember(members, mspId, certificate, channel, phase));
    checked.set(key, period);
  }
  if (at >= period.to)
    throw refusal(phase, `The certificate expired on ${new Date(period.to).toISOString()}`, newWallet(mspId));
  if (at < period.from) {
    const why = `The certificate is not valid before ${new Date(period.from).toISOString()}`;
    throw refusal(phase, why, 'Send the operation after that time, or correct the clock of this server.');
  }
}

/** @returns the certificate's validity, ms since the epoch */
function* requireMember(
  members: Map<string, MspConfig>,
  mspId: string,
  pem: string,
  channel: string,
  phase: Phase,
): Generator<undefined, { from: number; to: number }> {
  const member = members.get(mspId);
  if (member === undefined) {
    const known = [...members.keys()].join(', ');
    const why = `The channel ${channel} has no member ${mspId}; its members are ${known}`;
    throw refusal(phase, why, 'Use a wallet of a member.');
  }
  const certificate = readCertificate(pem);
  const chain = yield* chainOf(certificate, member);
  if (chain === undefined) {
    throw refusal(
      phase,
      `The certificate was not issued by a root of ${mspId} on the channel ${channel}`,
      newWallet(mspId),
    );
  }
  const [issuer = certificate] = chain;
  const revocation = yield* revocationOf(member, certificate, issuer, phase);
  if (revocation === 'certificate') throw refusal(phase, `${mspId} has revoked it`, newWallet(mspId));
  if (revocation === 'all') {
    const why = `The channel ${channel} has a revocation list of ${mspId} that does not name its CA (authorityKeyIdentifier), so peers refuse every certificate of ${mspId}`;
    throw refusal(phase, why, 'Ask the administrators of the channel to replace the list.');
  }
  const all = [certificate, ...chain];
  return {
    from: Math.max(...all.map((one) => one.validFromDate.getTime())),
    to: Math.min(...all.map((one) => one.validToDate.getTime())),
  };
}

/** Maximum number of certificates between a certificate and its root. */
const longestChain = 8;

/** Returns the issuers up to a root; undefined if there is no chain. */
function* chainOf(
  certificate: X509Certificate,
  { roots, intermediates }: MspConfig,
): Generator<undefined, X509Certificate[] | undefined> {
  const chain: X509Certificate[] = [];
  let last = certificate;
  while (chain.length < longestChain) {
    const root = yield* issuerIn(roots, last);
    if (root !== undefined) return [...chain, root];
    const next = yield* issuerIn(intermediates, last);
    if (next === undefined) return undefined;
    chain.push(next);
    last = next;
  }
  return undefined;
}

/**
 * Like a peer, compares names and the signature. `checkIssued` also compares key identifiers, which differ if the CA's
 * certificate was issued again for the same key (Fabric: crypto/x509, `findPotentialParents`).
 */
function* issuerIn(
  all: readonly X509Certificate[],
  certificate: X509Certificate,
): Generator<undefined, X509Certificate | undefined> {
  for (const one of all) {
    if (certificate.issuer === one.subject && certificate.verify(one.publicKey)) return one;
    yield;
  }
  return undefined;
}

function* revocationOf(
  { mspId, revocationLists }: MspConfig,
  certificate: X509Certificate,
  issuer: X509Certificate,
  phase: Phase,
): Generator<undefined, Revocation> {
  try {
    return yield* findRevocation(certificate, issuer, revocationLists);
  } catch (cause) {
    const detail = `The revocation lists of ${mspId} on the channel cannot be read, or are too long.`;
    throw adapterError('unavailable', detail, { phase, cause });
  }
}

/** Advice to create another wallet, because an existing wallet cannot get another certificate. */
function newWallet(mspId: string): string {
  return `Get a new certificate from ${mspId}, create a wallet with it, and send from that wallet.`;
}

function refusal(phase: Phase, why: string, advice: string): AdapterError {
  const detail = `The wallet's certificate cannot be used: ${why}. ${advice}`;
  return adapterError('certificate-invalid', detail, { phase });
}

/** Returns the certificate with which a wallet was created. @throws AdapterError `certificate-invalid` */
export function requireIdentity({ address, material }: WalletIdentity, phase: Phase): MemberIdentity {
  const { certificate, mspId } = material ?? {};
  if (typeof certificate === 'string' && typeof mspId === 'string') return { certificate, mspId };
  throw adapterError('certificate-invalid', `The wallet ${address} has no certificate.`, { phase });
}
