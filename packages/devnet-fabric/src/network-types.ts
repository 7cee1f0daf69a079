import type { KeyPair } from './ca/issue.ts';
import type { RunningChaincode } from './chaincode/start.ts';
import type { Faults } from './faults.ts';
import type { Credentials } from './identity/signer.ts';
import type { BatchOptions } from './orderer/orderer.ts';
import type { ConnectChaincode } from './peer/chaincodes.ts';
import type { FabricProfile, ProfileOptions } from './profile-file.ts';

export interface FabricNetworkOptions {
  /** Name of the channel; default `ledger`. */
  channel?: string;
  /** MSP ids, default `Org1MSP` and `Org2MSP`. */
  organizations?: readonly string[];
  /** Limits at which the orderer cuts a block. Default: 100 messages, or 200 ms after the first one. */
  batch?: BatchOptions;
  /**
   * Directory of the network's database, which the next start continues from. If absent, everything is kept
   * in memory.
   */
  directory?: string;
  /** Whether clients need a TLS certificate of one of the organizations. Default false. */
  mutualTls?: boolean;
  /**
   * One port per organization, on 127.0.0.1. Default: the ports of the last start if they are free, otherwise
   * any free ports.
   */
  ports?: readonly number[];
  /** Timeout of one chaincode call in milliseconds; default 30,000. */
  chaincodeTimeout?: number;
  /** Maximum number of concurrent calls to each peer's gateway; default 500. */
  concurrency?: number;
  /** Creates a peer's connection to a chaincode. Default: connects to the service at the address in the package. */
  connectChaincode?: ConnectChaincode;
}

/** Endpoint, certificates, CA and members of one organization, and control of its peer. */
export interface FabricOrganization {
  mspId: string;
  /** Address of the organization's peer, `127.0.0.1:<port>`. */
  endpoint: string;
  /** A name in the endpoint's certificate, because an IP address cannot be a TLS server name. */
  hostOverride: string;
  /** PEM of the root that verifies the endpoint's certificate. */
  tlsCaCertificate: string;
  /** PEM of the root that certifies the organization's members. */
  rootCertificate: string;
  /** PEM of the key of `rootCertificate`. Tests use it to create certificates that no CA would issue. */
  rootPrivateKey: string;
  /** The organization's certificate authority, with fabric-ca's REST calls. */
  ca: FabricCa;
  /** An administrator, who may install and approve chaincode. */
  admin: Credentials;
  /** Creates a client with a certificate from the organization's root. */
  issueUser(name: string): Promise<Credentials>;
  /** Creates a TLS certificate for a client, as mutual TLS requires. */
  issueClientTls(name: string): Promise<KeyPair>;
  running(): boolean;
  /**
   * Stops the peer's endpoint immediately and closes all its connections. The rest of the network continues.
   */
  stop(): Promise<void>;
  /** Restarts the endpoint on the same port. */
  start(): Promise<void>;
}

export interface FabricCa {
  /** `https://127.0.0.1:<port>` */
  url: string;
  /** The CA's name in the `caname` of requests. */
  name: string;
  /** PEM of the root that verifies the CA's TLS certificate. */
  tlsCaCertificate: string;
  /** An identity that may register others. */
  registrar: { enrollmentId: string; enrollmentSecret: string };
}

export interface FabricNetwork {
  channel: string;
  organizations: FabricOrganization[];
  mutualTls: boolean;
  faults: Faults;
  /**
   * Starts a chaincode and deploys it to the channel unless it is already deployed. After a restart of the
   * network, the same call only starts its process again.
   */
  deployChaincode(options: DeployOptions): Promise<DeployedChaincode>;
  /**
   * Replaces an organization's certificate revocation lists (PEM) in the channel's configuration, as its
   * administrators do with the list that the CA returns for `/revoke` with `gencrl`. From the next block on, peers
   * and the orderer reject signatures by revoked certificates.
   * @throws DevnetError if the organization's CA did not issue a list
   */
  setRevocationLists(mspId: string, lists: readonly string[]): Promise<void>;
  /**
   * Writes the files that clients need into a folder: `profile.json`, for `FABRIC_PROFILE`, and the files
   * that it refers to.
   */
  profile(directory: string, options?: ProfileOptions): Promise<{ profile: FabricProfile; file: string }>;
  stop(): Promise<void>;
}

/** A chaincode to deploy to the channel. */
export interface DeployOptions {
  name: string;
  /** Default `1.0`. */
  version?: string;
  /**
   * `OR('Org1MSP.member', …)`, or a policy of the channel. Default `/Channel/Application/Endorsement`, a
   * majority.
   */
  policy?: string;
  /** A folder with contracts, or a program: see `startChaincode`. */
  contract: string;
  /**
   * Whether each organization gets its own process, which receives the MSP id as `CORE_PEER_LOCALMSPID`
   * (`stub.getMspID()`). Default false: one process for all.
   */
  perOrganization?: boolean;
  /** Whether the chaincode process is restarted when it exits on its own, like a container. Default true. */
  restart?: boolean;
}

/** A deployed chaincode with its processes. */
export interface DeployedChaincode {
  name: string;
  version: string;
  sequence: number;
  /** One process for all organizations, or one per organization, in their order. */
  services: RunningChaincode[];
}
