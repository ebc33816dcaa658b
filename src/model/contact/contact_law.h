#pragma once

#include <algorithm>
#include <array>
#include <limits>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "cuttle/model/contact.h"
#include "cuttle/model/place.h"
#include "cuttle/model/site_law.h"
#include "model/contact/depth_intervals.h"
#include "model/contact/facet_pass.h"
#include "model/contact/friction_law.h"
#include "model/contact/site_curve.h"

namespace cuttle {

template <typename T>
struct PointMotionT;
template <typename T>
struct PointActionT;
template <typename T>
struct FacetT;
template <typename T>
struct FacetRimT;
struct FlatSite;
template <typename T>
struct PieceBordersT;
template <typename V>
struct FootRangeT;
struct FlatSlopes;

inline constexpr double k_facet_cut = 1.5;  // of the half thickness: what is deeper is on its way out of the other side
inline constexpr double k_least_seen_step = 0.02, k_seen_way = 0.25;  // of what may cross: [s]; of its half thickness
inline constexpr double k_cubic_reach = 0.8;    // of a piece's chord: how far its axis is from the middle of its ends
inline constexpr double k_least_share = 1e-12;  // of a disc that a facet has
// Of a rod's radius: how far from a triangle it may be its own. Planes that halve angles lean outward by at most 0.27
// of the height where edges are not sharp, and a corner of 30 degrees is four times as far as its edges.
inline constexpr double k_round_reach = 1.5;

/// How one site of a contact touches (docs/contact.md): a curve against a surface. One of both may ride on an obstacle
/// of the law, what else there is on frames of the robot. Or the curve is a piece of a rod, and what it touches that
/// of another one: then the frames are those of the piece, the end of the other one and its begin, in whose axes
/// bristles are.
template <typename S>
struct ContactSiteT {
  enum class Kind { point, line, area, pieces };
  Kind kind = Kind::point;
  int obstacle = -1;     ///< of the law; -1: none, both sides are links
  bool of_b = false;     ///< the curve is a part of side b, the surface the shape of a; else the other way around
  bool on_link = false;  ///< the surface rides on a frame of the robot, which is the one after those of the curve
  int curve_frames = 1;  ///< that carry the curve: one or, of a piece of a rod, two; 0: the obstacle does; 3: of pieces
  int frames[k_most_site_frames] = {};
  int frame_count() const { return curve_frames + (on_link ? 1 : 0); }
  /// The shape that is touched and, where it rides on the robot, where it is in its frame.
  std::shared_ptr<const SignedDistanceT<S>> surface;
  PoseT<S> surface_in_frame;
  CubicT<S> axis;  ///< in the frame that carries it, or in that of the obstacle; with two frames theirs
  S begin_radius{}, end_radius{};
  S other_begin_radius{}, other_end_radius{};     ///< of the other piece
  bool other_begins = false, other_ends = false;  ///< whether its rod does there, and touches by a half sphere
  S stiffness{};        ///< of h: [N/m^1.5] a point, [N/m] a line of parameter length 1 or an area
  S weight = S(1.0);    ///< length or area, for pressures
  S range{};            ///< of the rounded law; of a point the depth below which numbers stay regular [m]
  Vector3T<S> forward;  ///< axis of anisotropic friction, in a frame of a; zero: the tangent of a line
  double surface_radius = std::numeric_limits<double>::infinity();  ///< of a sphere about its origin that holds it [m]
  double thickness = 0.0;                                           ///< half of the thinner side [m]
  bool endless = false;                                             ///< what is touched has no other side
  double reach = 0.0;  ///< radius of a sphere about the middle of its frames' origins, or axis, that holds it [m]
};

/// An obstacle as a law asks for it.
template <typename S>
class ObstaclePlaceT {
 public:
  explicit ObstaclePlaceT(const ObstacleT<S>& obstacle) : pose_(obstacle.pose), motion_(obstacle.motion) {
    const Matrix3T<S> upright = Matrix3T<S>::identity();
    for (int i = 0; i < 9; ++i)
      turned_ = turned_ || !identical(pose_.rotation.row(i / 3)[i % 3], upright.row(i / 3)[i % 3]);
  }
  bool moves() const { return !motion_.empty(); }
  bool is_turned() const { return turned_; }  ///< whether its axes, where it does not move, are not those of the world
  const PoseT<S>& pose() const { return pose_; }  ///< where it does not move
  /// Pose in the world and velocity in its own axes.
  FrameMotionT<S> at(double time) const;

 private:
  PoseT<S> pose_;
  PoseMotion motion_;
  bool turned_ = false;
};

template <typename S>
class ObstacleWay;

/// Sites between the pieces of two rods, or of one, in the order of the first one's.
struct PieceSites {
  std::vector<int> a, b;         ///< frames along the rods: one more than pieces
  std::vector<double> radius_a;  ///< largest of each piece
  std::vector<double> radius_b;
  std::vector<int> first_b;     ///< of each piece of a the first one of b that it may touch: all from there on
  std::vector<int> first_site;  ///< and its site
};

/// Where the sites of a contact are: a law before the model has frames.
template <typename S>
struct ContactPlanT {
  std::vector<PlaceT<S>> places;  ///< of the frames
  std::vector<ContactSiteT<S>> sites;
  std::vector<PieceSites> pieces;      ///< those of kind `pieces`
  std::vector<FacetSite> facet_sites;  ///< behind the other sites
  std::vector<FacetPassT<S>> facets;   ///< whose sites count from the first one of facet_sites
  std::vector<int> pair_of_site;
  std::vector<std::array<std::string, 2>> pairs;  ///< link of a, obstacle or link of b
  std::string refused;                            ///< derivatives, and why; empty: it has them
};

/// A contact of a robot: its sites, each with the law of docs/contact.md.
template <typename S>
class ContactLawT final : public SiteLawT<S> {
 public:
  using Site = typename SiteLawT<S>::Site;
  /// @param frames  of the places of the plan.
  ContactLawT(const ContactT<S>& contact, std::vector<FrameT<S>> frames, ContactPlanT<S> plan,
              const std::vector<ObstacleT<S>>& obstacles);

  void prepare(NearSites& near) const override;
  void find_near(const FrameMotionT<S>* frames, NearSites& near) const override;
  bool may_act(int site, double time, const FrameMotionT<S>* motion, const S* states) const override;
  void evaluate(int site, double time, const FrameMotionT<S>* motion, const S* states,
                SiteActionT<S>& action) const override;
  void solve_states(int site, double time, const FrameMotionT<S>* motion, const S* offset, double factor,
                    S* states) const override;
  void solve(int site, double time, const FrameMotionT<S>* motion, const S* offset, double factor, S* states,
             SiteActionT<S>& action) const override;
  void slopes(int site, double time, const FrameMotionT<S>* motion, const S* states,
              SiteSlopesT<S>& slopes) const override;
  void still(int site, double time, FrameMotionT<S>* motion) const override;
  void rest_states(int site, double time, const PoseT<S>* start, const FrameMotionT<S>* motion,
                   S* states) const override;
  void rest_state_slopes(int site, double time, const PoseT<S>* start, const FrameMotionT<S>* motion,
                         typename SiteSlopesT<S>::StatesByPose& by_pose) const override;
  bool begin(int site, double time, const FrameMotionT<S>* motion, const S* wanted, S* states,
             typename SiteSlopesT<S>::StateByState* by_wanted) const override;
  SiteObservation observe(int site, double time, const FrameMotionT<S>* motion, const S* states) const override;
  double gap(int site, double time, const FrameMotionT<S>* motion) const override;
  double longest_step(int site, double time, const FrameMotionT<S>* motion) const override;
  double longest_step_of_all(double time, const FrameMotionT<S>* frames) const override;
  double deepest(int site) const override;
  bool is_endless(int site) const override;

  /// Of `slopes` the columns that are differentiated, in jets; of doubles alone. A template so that each instruction
  /// set has a copy (contact_slope_kernels.h). @param slopes  zero before.
  template <int k_lanes>
  void jet_slopes(int site, double time, const FrameMotionT<S>* motion, const S* states, SiteSlopesT<S>& slopes) const;

 private:
  using D = Dual<S, 8>;
  using Value = typename ScalarTraits<S>::Precision;
  template <typename T>
  struct Relative;
  template <typename T>
  struct Seen;
  template <typename T>
  struct Pressing;

  bool is_inside(const ContactSiteT<S>& site) const {
    return site.obstacle >= 0 && inside_[static_cast<std::size_t>(site.obstacle)] != 0;
  }
  /// Frames of a site that derivatives take in turn: those of the curve or, where it rides on an obstacle, the
  /// surface's. Those by the surface's frame beside a curve of the robot follow from them (complete_columns).
  struct VariedFrames {
    int all, varied;
    bool completes;  ///< those of the last frame follow
  };
  static VariedFrames varied_frames(const ContactSiteT<S>& site) {
    return {site.frame_count(), std::max(1, site.curve_frames), site.on_link && site.curve_frames > 0};
  }
  VariedFrames varied_frames(int site) const {
    return is_facet(site) ? k_facet_frames : varied_frames(own_[static_cast<std::size_t>(site)]);
  }
  static constexpr VariedFrames k_facet_frames{4, 3, true};
  /// Moving curve and surface together changes nothing in body axes: sum over frames of columns Ad(frame^-1) = 0.
  template <typename Columns>
  static void complete_columns(const VariedFrames& frames, const FrameMotionT<S>* motion, Columns& columns);
  static void complete_columns(const VariedFrames& frames, const FrameMotionT<S>* motion, SiteSlopesT<S>& slopes);
  template <typename T>
  Relative<T> relative(const ContactSiteT<S>& site, double time, const FrameMotionT<T>* motion) const;
  template <typename T>
  Seen<T> seen(const ContactSiteT<S>& site, double time, const FrameMotionT<T>* motion) const;
  /// Whether it has a path of its own (contact_point.h). With long double it has none: the other one is its reference.
  static bool is_one_point(const ContactSiteT<S>& site) {
    return !std::is_same_v<S, long double> && site.kind != ContactSiteT<S>::Kind::line && site.curve_frames < 2;
  }
  template <typename T>
  DistanceT<T> surface_distance(const ContactSiteT<S>& site, const Vector3T<T>& x) const;
  template <typename T>
  DistanceT<T> distance_and_bend(const ContactSiteT<S>& site, const Vector3T<T>& x) const;
  template <typename T>
  DistanceT<T> distance(const ContactSiteT<S>& site, const Vector3T<T>& x) const;
  template <typename T>
  Pressing<T> pressing(const ContactSiteT<S>& site, const SiteCurveT<T>& curve) const;
  DepthIntervalsT<Value> intervals(const ContactSiteT<S>& site, const CubicT<Value>& curve) const;
  template <typename T>
  Pressing<T> pressing(const ContactSiteT<S>& site, const SiteCurveT<T>& curve,
                       const DepthIntervalsT<Value>& found) const;
  template <typename T>
  TouchT<T> touch(const ContactSiteT<S>& site, const SiteCurveT<T>& curve, const Pressing<T>& pressing) const;
  /// Wrenches at the frames, in their axes, and what else there is.
  template <typename T>
  struct Acting {
    WrenchT<T> wrench[k_most_site_frames];
    T rates[4]{};
    T stored{}, dissipated{}, given{};
  };
  /// For sites of every kind.
  template <typename T>
  Acting<T> act(const ContactSiteT<S>& site, double time, const FrameMotionT<T>* motion, const T* states) const;
  /// @param here  whose curve collects the forces.
  template <typename T>
  Acting<T> act_on(const ContactSiteT<S>& site, Seen<T>& here, const Pressing<T>& pressed, const TouchT<T>& touching,
                   const T* states) const;
  template <typename T>
  void act_on_frames(const ContactSiteT<S>& site, const Seen<T>& here, Acting<T>& result) const;
  // lines over planes
  /// Whether the site has a path of its own (contact_flat.h), with doubles.
  bool is_flat_line(const ContactSiteT<S>& site) const {
    return std::is_same_v<S, double> && site.kind == ContactSiteT<S>::Kind::line && friction_.is_isotropic() &&
           flats_[static_cast<std::size_t>(&site - own_.data())] != 0;
  }
  struct FlatTouch;
  FlatSite flat_site(const ContactSiteT<S>& site) const;
  template <typename T>  // double, here and below
  FlatTouch touch_flat_line(const ContactSiteT<S>& site, double time, const FrameMotionT<T>* motion) const;
  template <typename T>
  Acting<T> act_on_flat_line(const ContactSiteT<S>& site, FlatTouch& at, const T* states) const;
  template <typename T>
  FlatSlopes flat_slopes(const ContactSiteT<S>& site, const SiteCurveT<T>& axis, const DepthIntervalsT<double>& found,
                         const T* states) const;
  template <typename T>
  void flat_pair_slopes(const ContactSiteT<S>& site, const Relative<T>& r, const SiteCurveT<T>& axis,
                        const FlatSlopes& core, SiteSlopesT<S>& slopes) const;
  template <typename Rows>
  static void store_flat(const Rows& rows, int first, int states, SiteSlopesT<S>& slopes);
  // sites with one point
  template <typename T>
  struct SeenPoint;
  template <typename T>
  struct PointTouch;
  template <typename T>
  SeenPoint<T> seen_point(const ContactSiteT<S>& site, double time, const FrameMotionT<T>* motion) const;
  SeenPoint<S> seen_beside(const ContactSiteT<S>& site, const ObstaclePlaceT<S>& still,
                           const FrameMotionT<S>& carrier) const;
  template <typename T>
  PointTouch<T> touch_point(const ContactSiteT<S>& site, const DistanceT<T>& d, const PointMotionT<T>& point) const;
  template <typename T>
  PointActionT<T> act_at_point(const ContactSiteT<S>& site, const PointTouch<T>& touched, const T* states) const;
  template <typename T>
  Acting<T> act_seen(const ContactSiteT<S>& site, const SeenPoint<T>& here, const PointTouch<T>& touched,
                     const T* states) const;
  template <typename T>
  Acting<T> act_point(const ContactSiteT<S>& site, double time, const FrameMotionT<T>* motion, const T* states) const;
  template <int k_lanes>
  void point_slopes(const ContactSiteT<S>& site, double time, const FrameMotionT<S>* motion, const S* states,
                    SiteSlopesT<S>& slopes) const;
  // pieces of rods that touch each other
  static bool is_pieces(const ContactSiteT<S>& site) { return site.kind == ContactSiteT<S>::Kind::pieces; }
  template <typename T>
  struct SeenPieces;
  template <typename T>
  struct Beside;
  template <typename T>
  struct PressedPieces;
  struct PieceIntervals;
  struct Nearest;
  template <typename T>
  SeenPieces<T> seen_pieces(const FrameMotionT<T>* motion) const;
  template <typename T>
  Beside<T> beside(const ContactSiteT<S>& site, const CubicT<T>& a, const CubicT<T>& b, const T& t,
                   const FootRangeT<Value>& range) const;
  template <typename T>
  PieceBordersT<T> piece_borders(const ContactSiteT<S>& site, const CubicT<T>& b) const;
  PieceIntervals piece_intervals(const ContactSiteT<S>& site, const CubicT<Value>& a, const CubicT<Value>& b) const;
  Nearest nearest(const ContactSiteT<S>& site, const CubicT<Value>& a, const CubicT<Value>& b) const;
  template <typename T>
  PressedPieces<T> pressed_pieces(const ContactSiteT<S>& site, const SeenPieces<T>& here) const;
  template <typename T>
  TouchT<T> touch_pieces(const ContactSiteT<S>& site, const SeenPieces<T>& here, const PressedPieces<T>& pressed) const;
  template <typename T>
  Acting<T> act_on_pieces(const ContactSiteT<S>& site, SeenPieces<T>& here, const PressedPieces<T>& pressed,
                          const TouchT<T>& touching, const T* states) const;
  template <typename T>
  Acting<T> act_pieces(const ContactSiteT<S>& site, const FrameMotionT<T>* motion, const T* states) const;
  template <typename T>
  void rest_pieces(const ContactSiteT<S>& site, const PoseT<T>* start, const FrameMotionT<T>* motion, T* states) const;
  /// @param total  on side a.   @param sign  -1: the bristle's force is that on b.   @param axes  of both, in the
  /// world.
  /// @param weight  length or area of the site, 1 of a point.
  void observe_forces(const S& weight, const TouchT<S>& touching, const S* states, const Vector3T<S>& total,
                      const S& sign, const Matrix3T<S>& axes, SiteObservation& result) const;
  /// Of frames from `first` on to `end`, about the world's origin.
  static Vector3 torque_on(const FrameMotionT<S>* motion, const Acting<S>& acting, int first, int end);
  SiteObservation observe_pieces(const ContactSiteT<S>& site, const FrameMotionT<S>* motion, const S* states) const;
  /// Half of the way of a site's axis at t to the middle of what it touches.
  double way_seen(const ContactSiteT<S>& site, const S& t, const DistanceT<S>& d) const;
  double longest_step_beside(const ContactSiteT<S>& site, double time, const FrameMotionT<S>* motion,
                             const ObstacleWay<S>& way) const;
  double longest_step_of_pieces(const ContactSiteT<S>& site, const FrameMotionT<S>* motion) const;
  void piece_slopes(const ContactSiteT<S>& site, const FrameMotionT<S>* motion, const S* states,
                    SiteSlopesT<S>& slopes) const;

  // facets of volumes that touch each other
  bool is_facet(int site) const { return site >= static_cast<int>(own_.size()); }
  const FacetSite& facet_site(int site) const { return facet_sites_[static_cast<std::size_t>(site) - own_.size()]; }
  const typename FacetPassT<S>::Point& point_of(const FacetSite& site) const {
    return facet_passes_[static_cast<std::size_t>(site.pass)].points[static_cast<std::size_t>(site.point)];
  }
  const typename FacetPassT<S>::Facet& facet_of(const FacetSite& site) const {
    return facet_passes_[static_cast<std::size_t>(site.pass)].facets[static_cast<std::size_t>(site.facet)];
  }
  /// Whether the point is one of a rod's axis.
  bool is_round(const FacetSite& site) const { return any(point_of(site).radius > S(0.0)); }
  double half_of(const FacetSite& site) const { return std::min(point_of(site).half, facet_of(site).half); }
  template <typename T>
  struct SeenFacet;
  template <typename T>
  struct PressedFacet;
  /// In the world.
  struct FacetValues {
    Vector3 point;
    std::array<Vector3, 3> corner;
  };
  template <typename T>
  SeenFacet<T> seen_facet(const FacetSite& site, const FrameMotionT<T>* motion) const;
  static FacetValues facet_in_values(const FrameMotionT<S>* motion);
  /// Whether the facet may have a share.
  bool is_within(const FacetSite& site, const FacetValues& at, const FacetT<double>& facet) const;
  FacetRimT<double> rim_in_values(const FacetSite& site, const FacetValues& at, const FacetT<double>& facet) const;
  template <typename T>
  PressedFacet<T> pressed_facet(const FacetSite& site, const SeenFacet<T>& here) const;
  template <typename T>
  Acting<T> act_on_facet(const FacetSite& site, const SeenFacet<T>& here, const PressedFacet<T>& pressed,
                         const T* states) const;
  template <typename T>
  Acting<T> act_facet(const FacetSite& site, const FrameMotionT<T>* motion, const T* states) const;
  template <typename T>
  void rest_facet(const FacetSite& site, const PoseT<T>* start, const FrameMotionT<T>* motion, T* states) const;
  double gap_of_facet(const FacetSite& site, const FrameMotionT<S>* motion) const;
  SiteObservation observe_facet(const FacetSite& site, const FrameMotionT<S>* motion, const S* states) const;
  double longest_step_of_facet(const FacetSite& site, const FrameMotionT<S>* motion) const;
  void facet_slopes(const FacetSite& site, const FrameMotionT<S>* motion, const S* states,
                    SiteSlopesT<S>& slopes) const;
  template <typename Visit>
  void for_each_near_facet(const FacetPassT<S>& pass, const FrameMotionT<S>* frames, double* memory,
                           const Visit& visit) const;
  template <typename Visit>
  double for_each_facet_in_reach(const FacetPassT<S>& pass, const FrameMotionT<S>* frames, const Visit& visit) const;

  /// @param act  what a site does, by the motion of its frames and its states.
  template <typename Seed, typename Act>
  void seeded_slopes(const VariedFrames& frames, const FrameMotionT<S>* motion, const S* states, SiteSlopesT<S>& slopes,
                     const Act& act) const;
  void dual_slopes(const ContactSiteT<S>& site, double time, const FrameMotionT<S>* motion, const S* states,
                   SiteSlopesT<S>& slopes) const;
  template <int k_lanes>
  void line_slopes(const ContactSiteT<S>& site, double time, const FrameMotionT<S>* motion, const S* states,
                   SiteSlopesT<S>& slopes) const;
  /// How friction sees a site of any kind.
  TouchT<S> touch_at(int site, double time, const FrameMotionT<S>* motion) const;
  void solve_bristle(const TouchT<S>& touched, const S* offset, double factor, S* states) const;
  static void store(const Acting<S>& acting, SiteActionT<S>& action);
  template <typename T>
  void rest(const ContactSiteT<S>& site, double time, const PoseT<T>* start, const FrameMotionT<T>* motion,
            T* states) const;

  std::vector<ContactSiteT<S>> own_;
  std::vector<PieceSites> pieces_;
  std::vector<int> others_;             ///< sites that are not between pieces or facets
  std::vector<FacetSite> facet_sites_;  ///< behind own_
  std::vector<FacetPassT<S>> facet_passes_;
  std::string refused_;  ///< as of the plan: whoever makes sites is told
  std::vector<ObstaclePlaceT<S>> places_;
  std::vector<char> inside_;
  std::vector<char> flats_;           ///< of sites: whether the surface is a plane
  std::vector<char> patched_;         ///< of sites: whether the surface is one of patches
  std::vector<DistanceT<S>> planes_;  ///< of sites that touch one: the distance of the origin of the surface's axes
  S dissipation_;
  FrictionLawT<S> friction_;
};

}  // namespace cuttle
