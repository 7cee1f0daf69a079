import type { MailMessage } from './mail.ts';
import { quotedBlock, quotedLine } from './quoted-words.ts';

/** Returns the mail with the link to set a first password. */
export function initMail(to: string, link: string): MailMessage {
  return {
    to,
    subject: 'Set your password',
    text: `An account was created for you.\n\nSet a password here to activate it:\n${link}\n\nThe link works once. If you did not expect this message, ignore it.\n`,
    link,
  };
}

/** The contents of an invitation's mail. */
export interface InvitationMail {
  readonly to: string;
  /** Written by the inviter. */
  readonly subject: string | null;
  readonly message: string | null;
  /** The inviter: an e-mail address or the id of a service account. */
  readonly inviter: string;
  readonly organization: { readonly organizationId: string; readonly name: string };
  /** Address of this service. */
  readonly baseUrl: string;
  /** Link for people who can log in. */
  readonly answerLink: string;
  /** Link to set a first password and accept the invitation; absent if that is not possible. */
  readonly initLink: string | undefined;
  /** Milliseconds since the epoch. */
  readonly until: number;
}

/**
 * Returns the mail that invites someone into an organization. The service's own text comes first. Every line
 * of the inviter's text is marked, so that it cannot be mistaken for the service's text. It also cannot push
 * the service's text out of view.
 */
export function invitationMail(invitation: InvitationMail): MailMessage {
  const { to, subject, message, inviter, baseUrl, answerLink, initLink, until } = invitation;
  const { organizationId, name } = invitation.organization;
  const title = `Invitation to ${organizationId}`;
  const parts = [
    `You are invited to an organization at ${baseUrl}.`,
    [
      `Organization: ${organizationId}${name === organizationId ? '' : `, named ${quotedLine(name, 80)}`}`,
      `Invited by:   ${quotedLine(inviter, 254)}`,
      `Expires:      ${new Date(until).toUTCString()}`,
    ].join('\n'),
    ...(initLink === undefined
      ? []
      : [
          'If you have no account yet, accept the invitation by setting a password. The link works once.\n' +
            `Don't share it with anyone, including the person who invited you.\n${initLink}`,
        ]),
    `If you have an account, sign in, then accept or reject the invitation:\n${answerLink}`,
    'If you did not expect this message, ignore it; nothing will happen.',
    ...(subject === null && message === null
      ? []
      : [
          'The person who invited you, not this service, wrote the text below and the text in\n' +
            'quotation marks in the subject.',
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
    link: initLink,
  };
}
