import type { ReactNode } from 'react';

export interface IconProps {
  readonly size?: number;
}

/** Icons are hidden from screen readers: their meaning is in the text beside them, or in the label of the button. */
function icon(drawing: ReactNode) {
  return ({ size = 16 }: IconProps): ReactNode => (
    <svg
      width={size}
      height={size}
      viewBox="0 0 16 16"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.4"
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
      focusable="false"
    >
      {drawing}
    </svg>
  );
}

export const ConnectIcon = icon(<path d="M6 2v4M10 2v4M4 6h8v2a4 4 0 0 1-8 0zM8 12v3" />);
export const ExploreIcon = icon(<path d="M2.5 3.5h4M2.5 8h4M2.5 12.5h4M9.5 3.5h4v3h-4zM9.5 9.5h4v3h-4z" />);
export const TraceIcon = icon(<path d="M2 4h7M2 8h12M2 12h5M11 12h3M12 4h2" />);
export const InboxIcon = icon(<path d="M2 9h3.5l1 2h3l1-2H14M2 9l2-6h8l2 6v4H2z" />);
export const AuthIcon = icon(
  <>
    <circle cx="5" cy="10.5" r="2.8" />
    <path d="M7 8.5 13 2.5M11 4.5l1.8 1.8" />
  </>,
);
export const CheckIcon = icon(<path d="M2 4.5 3.5 6 6 3M2 11l1.5 1.5L6 9.5M8.5 4.5H14M8.5 11.5H14" />);

export const SearchIcon = icon(
  <>
    <circle cx="7" cy="7" r="4.3" />
    <path d="m10.3 10.3 3.5 3.5" />
  </>,
);
export const CloseIcon = icon(<path d="m4 4 8 8M12 4l-8 8" />);
export const ChevronDown = icon(<path d="m4 6 4 4 4-4" />);
export const ChevronLeft = icon(<path d="m10 4-4 4 4 4" />);
export const ChevronRight = icon(<path d="m6 4 4 4-4 4" />);
export const SunIcon = icon(
  <>
    <circle cx="8" cy="8" r="2.8" />
    <path d="M8 1.5v1.6M8 12.9v1.6M1.5 8h1.6M12.9 8h1.6M3.4 3.4l1.1 1.1M11.5 11.5l1.1 1.1M12.6 3.4l-1.1 1.1M4.5 11.5l-1.1 1.1" />
  </>,
);
export const MoonIcon = icon(<path d="M13 9.6A5.6 5.6 0 0 1 6.4 3 5.6 5.6 0 1 0 13 9.6z" />);
export const AutoIcon = icon(
  <>
    <circle cx="8" cy="8" r="5.5" />
    <path d="M8 2.5v11" />
    <path d="M8 2.5a5.5 5.5 0 0 1 0 11z" fill="currentColor" />
  </>,
);
export const ToolIcon = icon(
  <path d="M9.8 2.6a3.4 3.4 0 0 0-4 4.6L2.4 10.6a1.6 1.6 0 0 0 2.3 2.3l3.5-3.4a3.4 3.4 0 0 0 4.6-4L10.6 7.7 8.4 7.4 8 5z" />,
);
export const ResourceIcon = icon(<path d="M4 1.8h5.2L12.5 5v9.2H4zM9 2v3.3h3.3" />);
export const TemplateIcon = icon(
  <path d="M5.5 2.5C3.8 2.5 4.8 8 2.5 8c2.3 0 1.3 5.5 3 5.5M10.5 2.5c1.7 0 .7 5.5 3 5.5-2.3 0-1.3 5.5-3 5.5" />,
);
export const PromptIcon = icon(<path d="M2.5 3h11v7.5H8L4.8 13.5v-3H2.5zM5.5 6h5M5.5 8h3" />);
export const TaskIcon = icon(<path d="M4 2h8M4 14h8M5 2v2.5L8 8l3-3.5V2M5 14v-2.5L8 8l3 3.5V14" />);
export const ServerIcon = icon(<path d="M2.5 3h11v4h-11zM2.5 9h11v4h-11zM5 5h.01M5 11h.01" />);
export const PlayIcon = icon(<path d="M4.5 2.8v10.4L13 8z" fill="currentColor" />);
export const StopIcon = icon(<path d="M4 4h8v8H4z" fill="currentColor" />);
export const PlusIcon = icon(<path d="M8 3v10M3 8h10" />);
export const MinusIcon = icon(<path d="M3 8h10" />);
export const UpIcon = icon(<path d="m4 10 4-4 4 4" />);
export const EyeIcon = icon(
  <>
    <path d="M1.5 8S4 3.8 8 3.8 14.5 8 14.5 8 12 12.2 8 12.2 1.5 8 1.5 8z" />
    <circle cx="8" cy="8" r="1.8" />
  </>,
);
export const PassIcon = icon(<path d="m3 8.5 3.2 3.2L13 5" />);
export const FailIcon = icon(<path d="m4 4 8 8M12 4l-8 8" />);
export const WarnIcon = icon(<path d="M8 2.2 14.3 13.4H1.7zM8 6.5v3.2M8 11.6h.01" />);
export const SkipIcon = icon(<path d="M3.5 8h9" />);
export const RefreshIcon = icon(
  <path d="M13 5.5A5.5 5.5 0 0 0 3 6M3 2.5V6h3.5M3 10.5A5.5 5.5 0 0 0 13 10M13 13.5V10H9.5" />,
);
