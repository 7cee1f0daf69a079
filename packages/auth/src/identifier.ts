import { domainToASCII, domainToUnicode } from 'node:url';

/**
 * Returns an identifier in the form in which it is stored, displayed, mailed to, and compared for roles. An
 * e-mail address is converted to NFKC and lower case, without invisible characters, its domain as in DNS. The
 * id of a service account is not an address and stays unchanged.
 */
export function normalIdentifier(text: string): string {
  const { local, domain } = addressIn(text);
  if (domain === undefined) return text;
  return `${local}@${(isName(domain) && domainToUnicode(domain)) || domain}`;
}

/**
 * Returns the unique lookup key of an identifier. Addresses have the same key if they differ only in case
 * (Unicode full case folding: `ß` equals `ss`) or in dots on an i. Never send mail to the key: it may be
 * another mailbox.
 */
export function identifierKey(text: string): string {
  const { local, domain } = addressIn(text);
  return domain === undefined ? text : `${folded(local)}@${domain}`;
}

/** Returns a part of an identifier, normalized as in {@link normalIdentifier}. */
export function partOfIdentifier(text: string): string {
  return plain(text);
}

/** Whether a string can be an address: no invisible characters, no leading, trailing or double dots. */
export function isAddress(text: string): boolean {
  // Checks both the given and the normalized form, because normalization turns lookalike characters into
  // ASCII.
  return text.length <= 254 && isPlainAddress(text) && isPlainAddress(normalIdentifier(text));
}

function isPlainAddress(text: string): boolean {
  if (text.length > 254) return false;
  const [local = '', domain = '', ...more] = text.split('@');
  const dotted = (part: string) => /^[^.]+(?:\.[^.]+)*$/u.test(part);
  return (
    more.length === 0 &&
    /^[^\s\p{C}\p{Z}\p{Default_Ignorable_Code_Point}<>",;:\\()[\]]{1,64}$/u.test(local) &&
    /^[^\s\p{C}\p{Z}\p{Default_Ignorable_Code_Point}<>",;:\\()[\]/?#%]{1,189}$/u.test(domain) &&
    dotted(local) &&
    // A trailing dot of a domain is valid in DNS.
    dotted(domain.replace(/\.$/, ''))
  );
}

/** Returns the two parts of an address; `domain` is absent if the string is not an address. */
function addressIn(text: string): { local: string; domain?: string } {
  const normal = plain(text);
  const at = normal.lastIndexOf('@');
  if (at === -1) return { local: normal };
  return { local: normal.slice(0, at), domain: domainOf(normal.slice(at + 1)) };
}

function plain(text: string): string {
  const seen = text.normalize('NFKC').replace(/[\p{Default_Ignorable_Code_Point}\p{Cf}]/gu, '');
  return seen.trim().toLowerCase().normalize('NFKC');
}

/**
 * Returns the domain as in DNS. Strings that are not domains stay unchanged: a URL parser would interpret
 * paths, ports and numbers in them.
 */
function domainOf(text: string): string {
  const domain = text.replaceAll('。', '.').replace(/\.$/, '');
  return (isName(domain) && domainToASCII(domain)) || domain;
}

function isName(domain: string): boolean {
  return !/[\s/?#%:\\[\]]/.test(domain) && !/(?:^|\.)\d+$/.test(domain);
}

/** Unicode full case folding, approximated by upper- and lowercasing. */
function folded(text: string): string {
  const cased = text.toUpperCase().toLowerCase();
  return cased.replaceAll('ς', 'σ').replaceAll('i\u0307', 'i').normalize('NFKC');
}
