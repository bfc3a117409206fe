/** The part of plotly.js that the scripts use; its laid out axes are not public in plotly. */

/** A colour axis' stops: a position from 0 to 1 and a colour `#rrggbb`. */
export type ColourScale = [number, string][];

/** One axis as plotly has laid it out. */
export interface Axis {
  /** Pixels from the graph's edge. */
  _offset: number;
  _length: number;
  range: [number, number];
  showticklabels: boolean;
  tickvals?: ArrayLike<number>;
  /** The pixel of a value. */
  d2p(value: number): number;
  /** The value of a pixel. */
  p2d(pixel: number): number;
}

export interface ColourBar {
  title?: { text?: string };
  orientation?: "v" | "h";
  dtick?: number;
  labelalias?: Record<string, string>;
}

export interface ColourAxis {
  cmin: number;
  cmax: number;
  colorscale: ColourScale;
  colorbar?: ColourBar;
}

export interface Shape {
  name?: string;
  xref: string;
  yref: string;
  x0: number;
  x1: number;
}

export interface Annotation {
  /** Set for panel titles. */
  name?: string;
  text: string;
}

export type ColourAxisName = `coloraxis${string}`;
export type AxisName = `xaxis${string}` | `yaxis${string}`;

/** A layout from Python: also holds an axis or a colour axis under each of its names. */
export interface Layout {
  annotations?: Annotation[];
  shapes?: Shape[];
  images?: object[];
  height?: number;
  width?: number;
  margin?: { l?: number; r?: number; t?: number; b: number };
  [name: ColourAxisName]: ColourAxis;
  [name: AxisName]: { labelalias?: Partial<Record<string, string>> };
  [name: string]: unknown;
}

/** One trace of any type. */
export interface Trace {
  type: string;
  xaxis: string;
  yaxis: string;
  coloraxis: ColourAxisName;
  x?: ArrayLike<unknown>;
  y?: ArrayLike<number>;
  /** Of heat maps: a code for each cell. */
  z: Uint8Array & { shape: number[] };
  meta?: { head: number; row_of?: string };
}

/** A figure as plotly takes it. */
export interface Drawing {
  data: Trace[];
  layout: Layout;
}

/** The element that plotly draws in; its two members exist after the first drawing. */
export interface Graph extends HTMLElement {
  _fullLayout?: Record<string, Axis>;
  on?(event: string, heard: () => void): void;
}

export interface Plotly {
  react(graph: Graph, data: object[], layout: object, config: object): Promise<unknown>;
  relayout(graph: Graph, change: object): Promise<unknown>;
  restyle(graph: Graph, change: object, traces: number[]): Promise<unknown>;
  /** The address of the picture. */
  toImage(figure: object, options: { format: string; width: number; height: number; scale: number }): Promise<string>;
}

declare global {
  interface Window {
    Plotly: Plotly;
  }
}
