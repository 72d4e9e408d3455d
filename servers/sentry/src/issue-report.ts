// What a reader gets of an issue.
import { z } from 'zod';
import { pick } from '../../shared/api/pick.ts';
import { type FoundIssue, SERVICE } from './sentry-client.ts';
import { cut, EXCEPTION_SHAPE, exceptionsIn } from './stack-trace.ts';

const MAX_TAGS = 50;

const text = z.string().nullish();

const ISSUE = z.object({
  id: z.string(),
  shortId: text,
  title: z.string(),
  culprit: text,
  permalink: text,
  status: z.string(),
  level: z.string(),
  firstSeen: text,
  lastSeen: text,
  // Sentry gives it as text.
  count: z.coerce.number().nullish(),
  userCount: z.number().nullish(),
  project: z.object({ slug: text }).nullish(),
});
const EVENT = z.object({
  eventID: text,
  dateCreated: text,
  message: text,
  platform: text,
  tags: z.array(z.object({ key: text, value: text })).nullish(),
  entries: z.array(z.unknown()).nullish(),
});

export const REPORT_SHAPE = z.object({
  title: z.string(),
  issue_id: z.string(),
  short_id: text,
  status: z.string(),
  level: z.string(),
  first_seen: text,
  last_seen: text,
  count: z.number().nullish().describe('How many events it has'),
  user_count: z.number().nullish(),
  culprit: text,
  project: text,
  permalink: text,
  latest_event: z
    .object({
      id: text,
      date: text,
      platform: text,
      message: text,
      tags: z.record(z.string(), z.string()),
      exceptions: z.array(EXCEPTION_SHAPE).describe('The one that was thrown last is the last'),
      exceptions_omitted: z.number(),
    })
    .nullable(),
});
export type IssueReport = z.infer<typeof REPORT_SHAPE>;

function eventOf(value: unknown): IssueReport['latest_event'] {
  if (value === undefined) return null;
  const { eventID, dateCreated, message, platform, tags, entries } = pick(SERVICE, EVENT, value);
  const { exceptions, omitted } = exceptionsIn(entries ?? []);
  const shown = (tags ?? []).slice(0, MAX_TAGS).map(({ key, value: tag }) => [key ?? '', cut(tag ?? '')]);
  return {
    id: eventID,
    date: dateCreated,
    platform,
    message: message == null ? message : cut(message),
    tags: Object.fromEntries(shown) as Record<string, string>,
    exceptions: [...exceptions],
    exceptions_omitted: omitted,
  };
}

/** The report of an issue. */
export function reportOf({ issue, event }: FoundIssue): IssueReport {
  const found = pick(SERVICE, ISSUE, issue);
  return {
    title: cut(found.title),
    issue_id: found.id,
    short_id: found.shortId,
    status: found.status,
    level: found.level,
    first_seen: found.firstSeen,
    last_seen: found.lastSeen,
    count: found.count,
    user_count: found.userCount,
    culprit: found.culprit,
    project: found.project?.slug,
    permalink: found.permalink,
    latest_event: eventOf(event),
  };
}
