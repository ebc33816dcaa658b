import { type ClientMessage, frameHeaderBytes, type ServerMessage } from "../contract";

/** The robot at an instant: see frameHeaderBytes. */
export interface LiveFrame {
  time: number;
  numbers: Float32Array;
}

export interface ConnectionHandlers {
  message(message: ServerMessage): void;
  frame(frame: LiveFrame): void;
  /** Connected; or there is none, or it is lost: it tries again. */
  connected(on: boolean): void;
}

const k_retry_milliseconds = 1000;

/** The WebSocket to `cuttle live`; connects again by itself until it is there. */
export class Connection {
  private socket: WebSocket | null = null;

  constructor(
    private readonly address: string,
    private readonly handlers: ConnectionHandlers,
  ) {
    this.connect();
  }

  /** Sends a command; without a connection it is lost, and the page says so. */
  send(message: ClientMessage): void {
    if (this.socket?.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify(message));
  }

  private connect(): void {
    const socket = new WebSocket(this.address);
    socket.binaryType = "arraybuffer";
    this.socket = socket;
    socket.onopen = () => this.handlers.connected(true);
    socket.onmessage = ({ data }: MessageEvent<ArrayBuffer | string>) => {
      if (typeof data === "string") this.handlers.message(JSON.parse(data) as ServerMessage);
      else this.handlers.frame({ time: new DataView(data).getFloat64(0, true), numbers: new Float32Array(data, frameHeaderBytes) });
    };
    socket.onclose = () => {
      this.handlers.connected(false);
      setTimeout(() => this.connect(), k_retry_milliseconds);
    };
  }
}
