import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

/** Paths of a certificate and its key (PEM). */
export interface ProfileIdentity {
  certFile: string;
  keyFile: string;
}

/** A chaincode function. Its arguments may contain `{key}`, `{value}`, `{from}`, `{to}`. */
export interface ProfileFunction {
  name: string;
  args: string[];
}

export interface ProfileOrganization {
  mspId: string;
  peers: { endpoint: string; hostOverride?: string; tlsCaFile: string }[];
  users: ProfileIdentity[];
  admin?: ProfileIdentity;
  ca?: {
    url: string;
    name: string;
    tlsCaFile: string;
    registrar: { enrollmentId: string; enrollmentSecret: string };
  };
  clientTls?: ProfileIdentity;
}

/** The purposes for which a profile names a function of the chaincode. */
export type ProfileRole = 'write' | 'read' | 'conflict' | 'fail' | 'transient' | 'mismatch' | 'metadata';

/**
 * The file that `FABRIC_PROFILE` names. It describes a Fabric network of any kind, and a chaincode on it for
 * tests.
 */
export interface FabricProfile {
  channel: string;
  chaincode: string;
  organizations: ProfileOrganization[];
  functions: Partial<Record<ProfileRole, ProfileFunction>>;
  /** Address on which a local chaincode service may listen, and the address at which peers reach it. */
  chaincodeService?: { listen: string; address: string };
}

/** Settings that cannot be derived from the network. */
export interface ProfileOptions {
  /** Default `assets`. */
  chaincode?: string;
  /** Default: the functions of the sample chaincode `assetTransfer`. */
  functions?: FabricProfile['functions'];
  /** Number of new clients per organization; default 3. */
  users?: number;
}

/** Reads a profile. Its path is relative to the working directory; paths in it are relative to its folder. */
export function readProfile(file: string): FabricProfile {
  const path = resolve(process.env.INIT_CWD ?? '.', file);
  return JSON.parse(readFileSync(path, 'utf8'), (name, value: unknown) =>
    name.endsWith('File') && typeof value === 'string' ? resolve(dirname(path), value) : value,
  );
}
