import type { MailMessage } from './mail.ts';
import { quotedBlock, quotedLine } from './quoted-words.ts';

/** The mail with which an identity sets its first password. */
export function initMail(to: string, link: string): MailMessage {
  return {
    to,
    subject: 'Set your password',
    text: `An account was made for you.\n\nSet a password here, and the account is yours:\n${link}\n\nThe link works once. If you did not expect this message, ignore it.\n`,
  };
}

/** The contents of an invitation's mail. */
export interface InvitationMail {
  readonly to: string;
  /** The inviter's own words. */
  readonly subject: string | null;
  readonly message: string | null;
  /** Who invites: an e-mail address or the id of a service account. */
  readonly inviter: string;
  readonly organization: { readonly organizationId: string; readonly name: string };
  /** Address of this service. */
  readonly baseUrl: string;
  /** Where somebody answers who can log in. */
  readonly answerLink: string;
  /** Where somebody sets a first password, and accepts with that; absent: they cannot. */
  readonly initLink: string | undefined;
  /** Milliseconds since the epoch. */
  readonly until: number;
}

/**
 * The mail that invites somebody into an organization. All that we say comes first; what the inviter says is marked in
 * every line, so that it is not taken for ours and does not push our words out of sight.
 */
export function invitationMail(invitation: InvitationMail): MailMessage {
  const { to, subject, message, inviter, baseUrl, answerLink, initLink, until } = invitation;
  const { organizationId, name } = invitation.organization;
  const title = `Invitation to ${organizationId}`;
  const parts = [
    `You are invited to an organization at ${baseUrl}.`,
    [
      `Organization: ${organizationId}, by its own words ${quotedLine(name, 80)}`,
      `Invited by:   ${quotedLine(inviter, 254)}`,
      `Open until:   ${new Date(until).toUTCString()}`,
    ].join('\n'),
    ...(initLink === undefined
      ? []
      : [
          'If you have no account here: accept the invitation by setting a password. The link works\n' +
            `once. Give it to nobody, not to who invites you either.\n${initLink}`,
        ]),
    `If you have an account here: log in, and accept or reject the invitation.\n${answerLink}`,
    'If you did not expect this, ignore it: then nothing happens.',
    ...(subject === null && message === null
      ? []
      : [
          'Who invites you added the words below, and what stands between quotation marks in the\n' +
            'subject. They are not ours.',
          [subject, message]
            .filter((words) => words !== null)
            .map(quotedBlock)
            .join('\n>\n'),
        ]),
  ];
  return {
    to,
    subject: subject === null ? title : `${title}: ${quotedLine(subject, 120)}`,
    text: `${parts.join('\n\n')}\n`,
  };
}
