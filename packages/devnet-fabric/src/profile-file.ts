/** A certificate and its key, as files (PEM). */
export interface ProfileIdentity {
  certFile: string;
  keyFile: string;
}

/** A function of the chaincode; arguments may hold `{key}`, `{value}`, `{from}`, `{to}`. */
export interface ProfileFunction {
  name: string;
  args: string[];
}

/** One organization of a {@link FabricProfile}. */
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

/** Uses that a function of the chaincode can have. */
export type ProfileRole = 'write' | 'read' | 'conflict' | 'fail' | 'transient' | 'mismatch' | 'metadata';

/** The file that `FABRIC_PROFILE` names: a network, whoever runs it, and a chaincode on it to try things with. */
export interface FabricProfile {
  channel: string;
  chaincode: string;
  organizations: ProfileOrganization[];
  functions: Partial<Record<ProfileRole, ProfileFunction>>;
  /** Where a chaincode service of one's own may listen, and where the peers then find it. */
  chaincodeService?: { listen: string; address: string };
}

/** Choices that the network itself does not tell. */
export interface ProfileOptions {
  /** Default `assets`. */
  chaincode?: string;
  /** Default: those of the sample chaincode `assetTransfer`. */
  functions?: FabricProfile['functions'];
  /** New clients for each organization, default 3. */
  users?: number;
}
