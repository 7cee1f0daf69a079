/**
 * Limits of a GLO. They are wide enough for real use (contract creation code has about 50 KB, a uint256 has
 * 78 decimal digits), and limit the work for a malicious document. Text lengths count UTF-16 code units.
 */
export const gloLimits = {
  /** Maximum number of digits of a quantity, decimal or hexadecimal. */
  quantityDigits: 100,
  /** Maximum number of arguments of a call or deployment. */
  args: 256,
  /** Maximum length of all arguments and secret content together: 2 MiB. */
  allText: 2_097_152,
  /** Maximum length of one argument: 1 MiB. */
  argLength: 1_048_576,
  /** Maximum number of bytes of raw `data`: 1 MiB, which is 2,097,154 characters of `0x` hex. */
  dataBytes: 1_048_576,
  /** Maximum length of a locator's resource and of a method name (a full signature with tuples fits). */
  resourceLength: 4096,
  /** Maximum length of other names: channel, chaincode, contract, MSP id, version, transient name. */
  nameLength: 256,
  /** Maximum number of entries of an access list. */
  accessListEntries: 256,
  /** Maximum number of storage keys of one access list entry. */
  storageKeys: 1024,
  /** Maximum number of storage keys of a whole access list. At 1,900 gas each, no transaction can pay for more. */
  allStorageKeys: 16_384,
  /** Maximum number of entries of a transient map. */
  transientEntries: 256,
  /** Maximum length of one transient value in base64: 1 MiB decoded. */
  transientLength: 1_398_104,
  /** Maximum number of endorsing organizations. */
  endorsingOrganizations: 256,
  /** Maximum length of an endorsement policy. */
  endorsementPolicyLength: 65_536,
  /** Maximum number of issues in one error; the last issue states how many more there are. */
  issues: 50,
} as const;
