import type { X509Certificate } from 'node:crypto';
import 'reflect-metadata';
import { type AdapterError, adapterError, type Phase, type WalletIdentity } from '@ledger-ops/adapter';
import { X509Crl } from '@peculiar/x509';
import QuickLRU from 'quick-lru';
import { classify, toAdapterError } from '../gateway/errors.ts';
import { PeerError } from '../gateway/peer-error.ts';
import type { Qscc } from '../gateway/qscc.ts';
import { fingerprintOf, readCertificate } from '../identity/certificate.ts';
import { invalid } from '../invalid.ts';
import { type MspConfig, readMsps } from './channel-config.ts';

/** A wallet's certificate with what signing needs. */
export interface MemberIdentity {
  mspId: string;
  certificate: string;
}

/** Holds certificates against the channel's member organizations, since peers tell little of what is wrong. */
export interface Msps {
  /**
   * Dates, key, and the way to one of the organization's roots; revocation where the organization publishes it.
   * @throws AdapterError `certificate-invalid`, `unknown-contract` for a channel that is not there
   */
  requireValid(channel: string, identity: MemberIdentity, phase: Phase, at: number): Promise<void>;
  /**
   * Organizations that a call names to endorse it. Whether their peers are up is not asked.
   * @throws AdapterError `invalid-argument` at `/native/endorsing_organizations/<n>`, `unknown-contract`
   */
  requireMembers(channel: string, mspIds: readonly string[], phase: Phase, at: number): Promise<void>;
}

interface Config {
  members: Map<string, MspConfig>;
  readAt: number;
  /** Certificates found to be of a member, with the time of their end. */
  checked: QuickLRU<string, { from: number; to: number }>;
}

/** @param freshFor milliseconds after which a channel's configuration is read anew, beside what is under way */
export function createMsps(qscc: Qscc, freshFor: number): Msps {
  const configs = new Map<string, Config>();
  const reading = new Map<string, Promise<Config>>();

  function read(channel: string, at: number): Promise<Config> {
    const under = reading.get(channel);
    if (under !== undefined) return under;
    const fresh = qscc
      .configBlock(channel)
      .then((block) => {
        const config = {
          members: readMsps(block),
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
      // The next check sees it; a peer that cannot be reached now changes nothing.
      if (at - known.readAt > freshFor) read(channel, at).catch(() => undefined);
      return known;
    }
    try {
      return await read(channel, at);
    } catch (error) {
      if (!(error instanceof PeerError)) throw error;
      if (classify(error).kind === 'unknown-channel') {
        const detail = `The ledger has no channel ${channel}, or its observer may not read it.`;
        throw adapterError('unknown-contract', detail, {
          phase,
          issues: [{ pointer: '/contract_instance/resource', detail: 'names a channel that is not there' }],
        });
      }
      throw toAdapterError(error, phase);
    }
  }

  return {
    async requireValid(channel, { mspId, certificate }, phase, at) {
      const config = await configOf(channel, phase, at);
      const key = `${mspId} ${certificate}`;
      let period = config.checked.get(key);
      if (period === undefined) {
        period = requireMember(config.members, mspId, certificate, channel, phase);
        config.checked.set(key, period);
      }
      if (at >= period.to) throw refusal(phase, `It ended on ${new Date(period.to).toISOString()}`);
      if (at < period.from) throw refusal(phase, `It begins on ${new Date(period.from).toISOString()}`);
    },
    async requireMembers(channel, mspIds, phase, at) {
      const { members } = await configOf(channel, phase, at);
      const stranger = mspIds.findIndex((mspId) => !members.has(mspId));
      if (stranger === -1) return;
      const known = [...members.keys()].join(', ');
      const detail = `must be a member of the channel ${channel}, which has ${known}`;
      throw invalid(phase, `/native/endorsing_organizations/${stranger}`, detail);
    },
  };
}

/** @returns the time in which the certificate may be used, ms since the epoch */
function requireMember(
  members: Map<string, MspConfig>,
  mspId: string,
  pem: string,
  channel: string,
  phase: Phase,
): { from: number; to: number } {
  const member = members.get(mspId);
  if (member === undefined) {
    const known = [...members.keys()].join(', ');
    throw refusal(phase, `The channel ${channel} has no member ${mspId}; its members are ${known}`);
  }
  const certificate = readCertificate(pem);
  const chain = chainOf(certificate, member);
  if (chain === undefined) {
    throw refusal(phase, `It was not issued below a root of ${mspId} on the channel ${channel}`);
  }
  if (isRevoked(certificate, member)) throw refusal(phase, `${mspId} has revoked it`);
  const all = [certificate, ...chain];
  return {
    from: Math.max(...all.map((one) => one.validFromDate.getTime())),
    to: Math.min(...all.map((one) => one.validToDate.getTime())),
  };
}

/** Issuers up to a root; undefined where there is no way. */
function chainOf(
  certificate: X509Certificate,
  { roots, intermediates }: MspConfig,
): X509Certificate[] | undefined {
  const chain: X509Certificate[] = [];
  let last = certificate;
  const seen = new Set<string>();
  while (!seen.has(fingerprintOf(last))) {
    seen.add(fingerprintOf(last));
    const isIssuer = (one: X509Certificate) => last.checkIssued(one) && last.verify(one.publicKey);
    const root = roots.find(isIssuer);
    if (root !== undefined) return [...chain, root];
    const next = intermediates.find(isIssuer);
    if (next === undefined) return undefined;
    chain.push(next);
    last = next;
  }
  return undefined;
}

function isRevoked(certificate: X509Certificate, { revocationLists }: MspConfig): boolean {
  const serial = certificate.serialNumber.toLowerCase().replace(/^0+/, '');
  return revocationLists.some((bytes) => {
    const text = Buffer.from(bytes).toString('latin1');
    const list = new X509Crl(text.includes('-----BEGIN') ? text : Uint8Array.from(bytes));
    return list.entries.some((entry) => entry.serialNumber.toLowerCase().replace(/^0+/, '') === serial);
  });
}

function refusal(phase: Phase, why: string): AdapterError {
  return adapterError(
    'certificate-invalid',
    `The wallet's certificate cannot be used: ${why}. Renew it, or make a wallet with a valid one.`,
    { phase },
  );
}

/** The certificate that a wallet was made with. @throws AdapterError `certificate-invalid` */
export function requireIdentity({ address, material }: WalletIdentity, phase: Phase): MemberIdentity {
  const { certificate, mspId } = material ?? {};
  if (typeof certificate === 'string' && typeof mspId === 'string') return { certificate, mspId };
  throw adapterError('certificate-invalid', `The wallet ${address} has no certificate.`, { phase });
}
